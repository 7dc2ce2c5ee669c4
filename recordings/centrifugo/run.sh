#!/usr/bin/env bash
# Records Centrifugo: WebSocket clients that receive messages.
title="Centrifugo v6.9.1"
module=github.com/centrifugal/centrifugo/v6@v6.9.1
licence=Apache-2.0 most=400000
load="500 WebSocket clients for 40 s, 50 on each of 10 channels; 22 messages a second are published, each to one channel"
. "$(dirname "$0")/../lib.sh"
program centrifugo .
loader centrifugo-load "$module" "$root/recordings/centrifugo/load.go"

cat >"$work/config.json" <<'END'
{"http_server": {"address": "127.0.0.1", "port": "14800"}, "client": {"insecure": true}, "http_api": {"insecure": true},
	"log": {"level": "error"}}
END
record centrifugo --config "$work/config.json"
wait_for 14800
"$bin/centrifugo-load" 127.0.0.1:14800 >"$work/load.log"
finish centrifugo
