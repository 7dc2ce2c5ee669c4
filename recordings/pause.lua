-- Requests like those of a browser: each connection pauses between two requests, for 500 to 5,000
-- milliseconds by default.
local least = tonumber(os.getenv("PAUSE_LEAST") or 500)
local most = tonumber(os.getenv("PAUSE_MOST") or 5000)

function delay()
	return math.random(least, most)
end
