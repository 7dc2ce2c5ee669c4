#!/usr/bin/env bash
# Records Pion: its example of a peer that answers, connected to the example of one that offers.
title="Pion WebRTC v4.2.26's example pion-to-pion/answer"
module=github.com/pion/webrtc/v4@v4.2.26
licence=MIT most=400000
load="one peer for 3 min, over the loopback; both send a message of a data channel every 5 s"
. "$(dirname "$0")/../lib.sh"
program pion ./examples/pion-to-pion/answer
loader pion-offer "$module" ./examples/pion-to-pion/offer

record pion -offer-address 127.0.0.1:14900 -answer-address 127.0.0.1:14901
wait_for 14901
run_for 185 "$bin/pion-offer" -offer-address 127.0.0.1:14900 -answer-address 127.0.0.1:14901
sleep 180
grep -q "Message from DataChannel" "$work/pion.log" # the peers are connected
finish pion
