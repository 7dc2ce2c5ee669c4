-- Requests of a browser's kind: each connection pauses between two, for half a second to
-- five seconds if nothing else is said, in milliseconds.
local least = tonumber(os.getenv("PAUSE_LEAST") or 500)
local most = tonumber(os.getenv("PAUSE_MOST") or 5000)

function delay()
	return math.random(least, most)
end
