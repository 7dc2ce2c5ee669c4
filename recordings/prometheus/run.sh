#!/usr/bin/env bash
# Records Prometheus: many targets, scraped often, and rules.
title="Prometheus v0.316.0"
module=github.com/prometheus/prometheus@v0.316.0
licence=Apache-2.0
load="1,000 targets that it scrapes every 5 s for 60 s, all of them pages of nginx, and 50 groups of rules every 5 s"
. "$(dirname "$0")/../lib.sh"
needs nginx nginx-core
program prometheus ./cmd/prometheus -tags remove_all_sd

cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 8000; }
http {
	access_log off;
	default_type text/plain;
	server { listen 127.0.0.1:14081; location / { return 200 "up_since 17\nrequests_total 4711\n"; } }
}
END
nginx -p "$work" -c "$work/nginx.conf" &
pids+=($!)
{
	echo "groups:"
	for i in $(seq 50); do
		printf -- '- name: g%s\n  interval: 5s\n  rules: [{record: "r%s", expr: "sum(rate(requests_total[1m]))"}]\n' "$i" "$i"
	done
} >"$work/rules.yml"
{
	echo "["
	for i in $(seq 1000); do
		printf '{"targets": ["127.0.0.1:14081"], "labels": {"__metrics_path__": "/%s", "n": "%s"}}%s\n' "$i" "$i" "$([ "$i" = 1000 ] || echo ,)"
	done
	echo "]"
} >"$work/targets.json"
cat >"$work/prometheus.yml" <<END
global: {scrape_interval: 5s, scrape_timeout: 4s}
rule_files: ["$work/rules.yml"]
scrape_configs:
- job_name: pages
  file_sd_configs: [{files: ["$work/targets.json"]}]
END
wait_for 14081
record prometheus --config.file "$work/prometheus.yml" --storage.tsdb.path "$work/data" \
	--web.listen-address 127.0.0.1:14090 --log.level error
wait_for 14090
sleep 60
finish prometheus
