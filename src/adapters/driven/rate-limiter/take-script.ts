/**
 * Takes from buckets in Redis what fits, as `takeFrom` in bucket.ts does in memory: one key a bucket, which expires when the bucket is full again. Time is that of Redis, the
 * same for all replicas, in microseconds.
 *
 * ARGV: points of the budget, its window in microseconds; then for each key the points wanted and the fewest that are of use. Reply: for each key the points granted, and in how many
 * milliseconds the fewest are there. What stands in a key is `used at`; of another text nothing is believed.
 */
export const TAKE_SCRIPT = `
local points, usPerPoint = tonumber(ARGV[1]), tonumber(ARGV[2]) / tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local replies = {}
for i, key in ipairs(KEYS) do
  local wanted, fewest = tonumber(ARGV[2 * i + 1]), tonumber(ARGV[2 * i + 2])
  local text = redis.call('GET', key) or ''
  local used, at = string.match(text, '^(%d[%d.]*) (%d+)$')
  used, at = tonumber(used) or 0, tonumber(at) or now
  local isAhead = at > now
  if isAhead then at = now end
  used = math.max(0, math.min(used, points) - (now - at) / usPerPoint)
  local left = math.floor(points - used + 1e-6)
  local granted = 0
  if left >= fewest then granted = math.min(wanted, left) end
  used = used + granted
  if granted > 0 or isAhead then
    redis.call('SET', key, string.format('%.9f %.0f', used, now), 'PX', math.ceil(used * usPerPoint / 1000) + 1)
  end
  local missing = used + fewest - points
  local retryAfterMs = 0
  if missing > 1e-6 then retryAfterMs = math.ceil(missing * usPerPoint / 1000 - 1e-6) end
  replies[i] = {granted, retryAfterMs}
end
return replies
`;
