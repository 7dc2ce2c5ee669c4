#!/usr/bin/env bash
# Ruby: a GET with a read timeout of a second takes two, and the slow server gets the request twice.
#
# Guess: read_timeout = 1 ends the request after a second with Net::ReadTimeout, and whether to try again is for the caller to decide, as in
# Python's requests, Go's net/http and Java's HttpClient.
# Seen: Net::HTTP sends GET, HEAD, PUT, DELETE, OPTIONS and TRACE once more by itself after a timeout (max_retries is 1), on a new connection.
# The caller hears of the second timeout only. POST is sent once. max_retries = 0 gives what one expects.
# Whom it hurts: servers that are slow since they have too much to do get each request twice, and a client with three tries of its own sends
# six. Callers wait for twice the timeout: a job that allows 60 s (the default) for a GET is silent for two minutes. A GET or
# PUT that starts something starts it twice.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
command -v ruby >/dev/null || apt-get install -y -qq --no-install-recommends ruby >/dev/null

cat >main.rb <<'RB'
require 'net/http'
require 'socket'

# A server that reads each request and does not answer for longer than anybody waits.
SERVER = TCPServer.new('127.0.0.1', 0)
$requests = 0
Thread.new do
  loop do
    Thread.new(SERVER.accept) do |client|
      $requests += 1 if client.gets
      sleep
    end
  end
end

# Sends a request with a timeout of two seconds; returns how often it came.
def sent(name, request, retries: nil)
  $requests = 0
  http = Net::HTTP.new('127.0.0.1', SERVER.addr[1])
  http.read_timeout = 2
  http.max_retries = retries if retries
  begin_at = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  begin
    http.request(request)
  rescue Net::ReadTimeout => e
    seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - begin_at
    puts format('%s: %s after %.1f s; the server has got %d', name, e.class, seconds, $requests)
  end
  $requests
end

puts "Ruby #{RUBY_VERSION}, net-http #{Net::HTTP::VERSION}, read_timeout 2 s"
post = Net::HTTP::Post.new('/')
post.body = 'body'
put = Net::HTTP::Put.new('/')
put.body = 'body'
seen = [
  sent('GET', Net::HTTP::Get.new('/')),
  sent('PUT', put),
  sent('POST', post),
  sent('GET with max_retries 0', Net::HTTP::Get.new('/'), retries: 0)
]
unless seen == [2, 2, 1, 1]
  puts "CHANGED: #{seen}, not 2, 2, 1 and 1"
  exit 1
end
RB
ruby main.rb
