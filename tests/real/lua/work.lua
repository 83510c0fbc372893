-- A CPU-bound script that uses much of the interpreter: tables, strings, closures, metatables, coroutines, errors,
-- garbage. Takes its size as argument; prints the same on every run.
local size = tonumber(arg[1]) or 1

local function sieve(limit)
    local composite, count = {}, 0
    for n = 2, limit do
        if not composite[n] then
            count = count + 1
            for m = n * n, limit, n do composite[m] = true end
        end
    end
    return count
end

local function queens(n)
    local columns, rising, falling, found = {}, {}, {}, 0
    local function place(row)
        if row > n then
            found = found + 1
            return
        end
        for c = 1, n do
            if not (columns[c] or rising[row + c] or falling[row - c + n]) then
                columns[c], rising[row + c], falling[row - c + n] = true, true, true
                place(row + 1)
                columns[c], rising[row + c], falling[row - c + n] = nil, nil, nil
            end
        end
    end
    place(1)
    return found
end

local Account = {}
Account.__index = Account
Account.__add = function(a, b) return Account.new(a.sum + b.sum) end
Account.__eq = function(a, b) return a.sum == b.sum end
function Account.new(sum) return setmetatable({ sum = sum }, Account) end
function Account:deposit(n)
    if n < 0 then error("negative: " .. n, 0) end
    self.sum = self.sum + n
    return self
end

local function accounts(rounds)
    local all, refused = Account.new(0), 0
    for i = 1, rounds do
        local ok = pcall(Account.deposit, all, i % 10 == 0 and -i or i)
        if not ok then refused = refused + 1 end
        all = all + Account.new(1)
    end
    return all.sum, refused, all == Account.new(all.sum)
end

local function words(rounds)
    local counts = {}
    for i = 1, rounds do
        local text = string.format("%d-%x %s", i, i * 7, ("ab"):rep(i % 5))
        for word in text:gmatch("%w+") do counts[word:upper()] = (counts[word:upper()] or 0) + 1 end
    end
    local sorted = {}
    for word in pairs(counts) do sorted[#sorted + 1] = word end
    table.sort(sorted, function(a, b)
        if counts[a] ~= counts[b] then return counts[a] > counts[b] end
        return a < b
    end)
    return #sorted, sorted[1], table.concat(sorted, ","):len()
end

local function generator(limit)
    return coroutine.wrap(function()
        for i = 1, limit do coroutine.yield(i * i % 97) end
    end)
end

local function squares(limit)
    local sum = 0
    for value in generator(limit) do sum = sum + value end
    return sum
end

print("primes", sieve(20000 * size))
print("queens", queens(5 + size))
print("accounts", accounts(3000 * size))
print("words", words(1500 * size))
print("squares", squares(5000 * size))
print("error", select(2, pcall(error, { code = 1 })).code)
os.exit(3)
