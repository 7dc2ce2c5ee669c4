-- Clients that keep their connections: they think between two requests, mostly for half
-- a second, and now and then for longer than the server keeps an idle connection.
-- Requests ask for work of up to 50 ms, rarely for half a second. All chosen.

function setup(thread)
  seed = (seed or 0) + 1
  thread:set("seed", seed)
end

function init()
  math.randomseed(seed)
end

function delay()
  if math.random() < 0.002 then
    return math.random(4000, 8000)
  end
  return math.floor(-math.log(1 - math.random()) * 500)
end

function request()
  local wait = math.random(0, 50)
  if math.random() < 0.01 then
    wait = 500
  end
  return wrk.format("GET", "/?wait=" .. wait .. "ms")
end
