#!/usr/bin/env bash
# Erlang: a gen_server with an idle timeout of a second never times out while somebody looks at it.
#
# Guess: {noreply, State, 1000} brings the message timeout after a second without a message for the server. sys:get_state and
# sys:get_status, which observer and shells use, read a process from outside and change nothing.
# Seen: they send a system message, which gen_server answers itself, without a callback, and then waits for the whole second again. With a
# look each 300 ms the timeout never comes. process_info, which sends no message, does no harm, and neither do looks at a
# gen_statem with {timeout, 1000, idle}: its timer runs on.
# Whom it hurts: sessions and connections that close when they are idle: with a monitor that polls the states they stay for ever, so a leak is
# there only while one looks for it. The same holds for retries and flushes by this timeout.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
command -v erlc >/dev/null || apt-get install -y -qq --no-install-recommends erlang-base >/dev/null

cat >server.erl <<'ERL'
-module(server).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
init(Parent) -> {ok, Parent, 1000}.
handle_call(_, _, Parent) -> {reply, ok, Parent, 1000}.
handle_cast(_, Parent) -> {noreply, Parent, 1000}.
handle_info(timeout, Parent) -> Parent ! {idle, self()}, {noreply, Parent}.
ERL
cat >machine.erl <<'ERL'
-module(machine).
-behaviour(gen_statem).
-export([init/1, callback_mode/0, handle_event/4]).
callback_mode() -> handle_event_function.
init(Parent) -> {ok, waiting, Parent, [{timeout, 1000, idle}]}.
handle_event(timeout, idle, _, Parent) -> Parent ! {idle, self()}, keep_state_and_data.
ERL
cat >main.erl <<'ERL'
-module(main).
-export([main/0]).

%% Starts a process, looks at it each 300 ms, and waits for its timeout of a second for six seconds.
seen(Behaviour, Module, Look) ->
    {ok, Pid} = Behaviour:start(Module, self(), []),
    Looker = spawn(fun() -> look(Look, Pid) end),
    Seen = receive {idle, Pid} -> timeout after 6000 -> 'no timeout' end,
    exit(Looker, kill),
    exit(Pid, kill),
    Seen.

look(Look, Pid) ->
    timer:sleep(300),
    Look(Pid),
    look(Look, Pid).

main() ->
    io:format("Erlang/OTP ~s~n", [erlang:system_info(otp_release)]),
    Cases = [
        {gen_server, server, nobody, fun(_) -> ok end, timeout},
        {gen_server, server, process_info, fun(Pid) -> process_info(Pid, message_queue_len) end, timeout},
        {gen_server, server, get_state, fun(Pid) -> sys:get_state(Pid, infinity) end, 'no timeout'},
        {gen_server, server, get_status, fun(Pid) -> sys:get_status(Pid, infinity) end, 'no timeout'},
        {gen_statem, machine, get_state, fun(Pid) -> sys:get_state(Pid, infinity) end, timeout}
    ],
    Changed = [Name || {Behaviour, Module, Name, Look, Expected} <- Cases, begin
        Seen = seen(Behaviour, Module, Look),
        io:format("~s, looked at by ~s: ~s~n", [Behaviour, Name, Seen]),
        Seen =/= Expected
    end],
    [io:format("CHANGED: ~p~n", [Changed]) || Changed =/= []],
    halt(length(Changed)).
ERL
erlc server.erl machine.erl main.erl
erl -noshell -s main main
