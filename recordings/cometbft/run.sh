#!/usr/bin/env bash
# Records CometBFT: one validator with the built-in key-value store.
title="CometBFT v1.0.1"
module=github.com/cometbft/cometbft@v1.0.1
licence=Apache-2.0 most=400000
load="one validator, its application kvstore, and wrk for 15 s: 8 clients that send 57 transactions a second in all"
. "$(dirname "$0")/../lib.sh"
needs wrk wrk
program cometbft ./cmd/cometbft

"$store/rec/cometbft" init --home "$work/home" >"$work/init.log"
record cometbft node --home "$work/home" --proxy_app kvstore --log_level error \
	--rpc.laddr tcp://127.0.0.1:14657 --p2p.laddr tcp://127.0.0.1:14656
wait_for 14657
cat >"$work/tx.lua" <<'END'
local n = 0
function setup(thread) clients = (clients or 0) + 1; thread:set("client", clients) end
function request() n = n + 1; return wrk.format("GET", '/broadcast_tx_async?tx=%22k' .. client .. 'x' .. n .. '=v%22') end
function delay() return 140 end
END
wrk --threads 2 --connections 8 --duration 15s --script "$work/tx.lua" http://127.0.0.1:14657 >"$work/load.log"
finish cometbft
