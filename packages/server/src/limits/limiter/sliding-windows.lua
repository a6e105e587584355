-- One request under one key against all of its windows, decided and counted in one step. The rules are those of memory-limiter.ts.
--
-- KEYS[1]  list: times of the last admissions in milliseconds, newest first
-- KEYS[2]  hash: the block of a client that is refused, only with growth
-- ARGV[1]  the time, or '' for the clock of this server: one clock for all nodes, whatever theirs say
-- ARGV[2]  a block doubles at every so many requests during it; 0: never
-- ARGV[3]  longest block in milliseconds
-- ARGV[4]  and so on: limit and milliseconds of each window
--
-- Returns nil for an admission, else {milliseconds to wait, place of the window with the longest wait, from 0}.

local now = tonumber(ARGV[1])
-- Keys end by this server's clock. A passed one may run slower, so they are kept for an hour longer.
local spare = 3600000
if not now then
  spare = 0
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local every = tonumber(ARGV[2])
local cap = tonumber(ARGV[3])

local windows = {}
local longest, highest, limits = 0, 0, ''
for at = 4, #ARGV, 2 do
  local limit, length = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  windows[#windows + 1] = { limit, length }
  longest = math.max(longest, length)
  highest = math.max(highest, limit)
  limits = limits .. ARGV[at] .. ','
end

local count = redis.call('LLEN', KEYS[1])
if count > 0 then
  -- The clock went back: what lies ahead of it counts as made now.
  if tonumber(redis.call('LINDEX', KEYS[1], 0)) > now then
    for place, time in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
      if tonumber(time) <= now then break end
      redis.call('LSET', KEYS[1], place - 1, now)
    end
  end
  -- What the clock has shown to be older than every window is forgotten.
  while count > 0 and tonumber(redis.call('LINDEX', KEYS[1], -1)) <= now - longest do
    redis.call('RPOP', KEYS[1])
    count = count - 1
  end
end

if every > 0 then
  local block = redis.call('HMGET', KEYS[2], 'until', 'seen', 'refusals', 'window', 'limits')
  if block[1] then
    local ends, seen = tonumber(block[1]), tonumber(block[2])
    if now < seen then ends = ends - (seen - now) end
    if now < ends and block[5] == limits then
      local refusals = tonumber(block[3]) + 1
      if refusals % every == 0 then ends = now + math.min(2 * (ends - now), cap) end
      redis.call('HSET', KEYS[2], 'until', ends, 'seen', now, 'refusals', refusals)
      redis.call('PEXPIRE', KEYS[2], ends - now + spare)
      return { ends - now, tonumber(block[4]) }
    end
    redis.call('DEL', KEYS[2])
  end
end

-- A window is full when its limit-th newest admission is still inside.
local wait, broken = 0, -1
for place, window in ipairs(windows) do
  if count >= window[1] then
    local left = tonumber(redis.call('LINDEX', KEYS[1], window[1] - 1)) + window[2] - now
    if left > wait then wait, broken = left, place - 1 end
  end
end

if broken >= 0 then
  if every > 0 then
    redis.call('HSET', KEYS[2], 'until', now + wait, 'seen', now, 'refusals', 0, 'window', broken, 'limits', limits)
    redis.call('PEXPIRE', KEYS[2], wait + spare)
  end
  return { wait, broken }
end

redis.call('LPUSH', KEYS[1], now)
if count >= highest then redis.call('LTRIM', KEYS[1], 0, highest - 1) end
redis.call('PEXPIRE', KEYS[1], longest + spare)
return false
