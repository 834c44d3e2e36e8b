/**
 * What COMMAND tells of every command beside its arity and flags (command-specs.ts), as Redis 7.0.15 answers it:
 * full name, ACL categories, tips, key specifications. One of these is flags@where its keys begin/which they are#note:
 * `i1` at word 1, `kSTORE:5` after that keyword, searched from word 5, `u` unknown; `r-1:1:0` a range (last key, step,
 * limit), `n0:1:1` counted by a word (index of the count, first key, step).
 */
export const commandDetails = `
acl @slow -
acl|cat @slow -
acl|deluser @admin,@slow,@dangerous -
acl|dryrun @admin,@slow,@dangerous -
acl|genpass @slow -
acl|getuser @admin,@slow,@dangerous -
acl|help @slow -
acl|list @admin,@slow,@dangerous -
acl|load @admin,@slow,@dangerous -
acl|log @admin,@slow,@dangerous -
acl|save @admin,@slow,@dangerous -
acl|setuser @admin,@slow,@dangerous -
acl|users @admin,@slow,@dangerous -
acl|whoami @slow -
append @write,@string,@fast - RW+insert@i1/r0:1:0
asking @fast,@connection -
auth @fast,@connection -
bgrewriteaof @admin,@slow,@dangerous -
bgsave @admin,@slow,@dangerous -
bitcount @read,@bitmap,@slow - RO+access@i1/r0:1:0
bitfield @write,@bitmap,@slow - RW+access+update+variable_flags@i1/r0:1:0#0
bitfield_ro @read,@bitmap,@fast - RO+access@i1/r0:1:0
bitop @write,@bitmap,@slow - OW+update@i2/r0:1:0 RO+access@i3/r-1:1:0
bitpos @read,@bitmap,@slow - RO+access@i1/r0:1:0
blmove @write,@list,@slow,@blocking - RW+access+delete@i1/r0:1:0 RW+insert@i2/r0:1:0
blmpop @write,@list,@slow,@blocking - RW+access+delete@i2/n0:1:1
blpop @write,@list,@slow,@blocking - RW+access+delete@i1/r-2:1:0
brpop @write,@list,@slow,@blocking - RW+access+delete@i1/r-2:1:0
brpoplpush @write,@list,@slow,@blocking - RW+access+delete@i1/r0:1:0 RW+insert@i2/r0:1:0
bzmpop @write,@sortedset,@slow,@blocking - RW+access+delete@i2/n0:1:1
bzpopmax @write,@sortedset,@fast,@blocking - RW+access+delete@i1/r-2:1:0
bzpopmin @write,@sortedset,@fast,@blocking - RW+access+delete@i1/r-2:1:0
client @slow -
client|caching @slow,@connection -
client|getname @slow,@connection -
client|getredir @slow,@connection -
client|help @slow,@connection -
client|id @slow,@connection -
client|info @slow,@connection nondeterministic_output
client|kill @admin,@slow,@dangerous,@connection -
client|list @admin,@slow,@dangerous,@connection nondeterministic_output
client|no-evict @admin,@slow,@dangerous,@connection -
client|pause @admin,@slow,@dangerous,@connection -
client|reply @slow,@connection -
client|setname @slow,@connection -
client|tracking @slow,@connection -
client|trackinginfo @slow,@connection -
client|unblock @admin,@slow,@dangerous,@connection -
client|unpause @admin,@slow,@dangerous,@connection -
cluster @slow -
cluster|addslots @admin,@slow,@dangerous -
cluster|addslotsrange @admin,@slow,@dangerous -
cluster|bumpepoch @admin,@slow,@dangerous nondeterministic_output
cluster|count-failure-reports @admin,@slow,@dangerous nondeterministic_output
cluster|countkeysinslot @slow -
cluster|delslots @admin,@slow,@dangerous -
cluster|delslotsrange @admin,@slow,@dangerous -
cluster|failover @admin,@slow,@dangerous -
cluster|flushslots @admin,@slow,@dangerous -
cluster|forget @admin,@slow,@dangerous -
cluster|getkeysinslot @slow nondeterministic_output
cluster|help @slow -
cluster|info @slow nondeterministic_output
cluster|keyslot @slow -
cluster|links @slow nondeterministic_output
cluster|meet @admin,@slow,@dangerous -
cluster|myid @slow -
cluster|nodes @slow nondeterministic_output
cluster|replicas @admin,@slow,@dangerous nondeterministic_output
cluster|replicate @admin,@slow,@dangerous -
cluster|reset @admin,@slow,@dangerous -
cluster|saveconfig @admin,@slow,@dangerous -
cluster|set-config-epoch @admin,@slow,@dangerous -
cluster|setslot @admin,@slow,@dangerous -
cluster|shards @slow nondeterministic_output
cluster|slaves @admin,@slow,@dangerous nondeterministic_output
cluster|slots @slow nondeterministic_output
command @slow,@connection nondeterministic_output_order
command|count @slow,@connection -
command|docs @slow,@connection nondeterministic_output_order
command|getkeys @slow,@connection -
command|getkeysandflags @slow,@connection -
command|help @slow,@connection -
command|info @slow,@connection nondeterministic_output_order
command|list @slow,@connection nondeterministic_output_order
config @slow -
config|get @admin,@slow,@dangerous -
config|help @slow -
config|resetstat @admin,@slow,@dangerous -
config|rewrite @admin,@slow,@dangerous -
config|set @admin,@slow,@dangerous request_policy:all_nodes,response_policy:all_succeeded
copy @keyspace,@write,@slow - RO+access@i1/r0:1:0 OW+update@i2/r0:1:0
dbsize @keyspace,@read,@fast request_policy:all_shards,response_policy:agg_sum
debug @admin,@slow,@dangerous -
decr @write,@string,@fast - RW+access+update@i1/r0:1:0
decrby @write,@string,@fast - RW+access+update@i1/r0:1:0
del @keyspace,@write,@slow request_policy:multi_shard,response_policy:agg_sum RM+delete@i1/r-1:1:0
discard @fast,@transaction -
dump @keyspace,@read,@slow nondeterministic_output RO+access@i1/r0:1:0
echo @fast,@connection -
eval @slow,@scripting - RW+access+update@i2/n0:1:1#1
eval_ro @slow,@scripting - RO+access@i2/n0:1:1#2
evalsha @slow,@scripting - RW+access+update@i2/n0:1:1
evalsha_ro @slow,@scripting - RO+access@i2/n0:1:1
exec @slow,@transaction -
exists @keyspace,@read,@fast request_policy:multi_shard,response_policy:agg_sum RO@i1/r-1:1:0
expire @keyspace,@write,@fast - RW+update@i1/r0:1:0
expireat @keyspace,@write,@fast - RW+update@i1/r0:1:0
expiretime @keyspace,@read,@fast - RO+access@i1/r0:1:0
failover @admin,@slow,@dangerous -
fcall @slow,@scripting - RW+access+update@i2/n0:1:1#1
fcall_ro @slow,@scripting - RO+access@i2/n0:1:1#2
flushall @keyspace,@write,@slow,@dangerous request_policy:all_shards,response_policy:all_succeeded
flushdb @keyspace,@write,@slow,@dangerous request_policy:all_shards,response_policy:all_succeeded
function @slow -
function|delete @write,@slow,@scripting request_policy:all_shards,response_policy:all_succeeded
function|dump @slow,@scripting -
function|flush @write,@slow,@scripting request_policy:all_shards,response_policy:all_succeeded
function|help @slow,@scripting -
function|kill @slow,@scripting request_policy:all_shards,response_policy:one_succeeded
function|list @slow,@scripting nondeterministic_output_order
function|load @write,@slow,@scripting request_policy:all_shards,response_policy:all_succeeded
function|restore @write,@slow,@scripting request_policy:all_shards,response_policy:all_succeeded
function|stats @slow,@scripting nondeterministic_output,request_policy:all_shards,response_policy:special
geoadd @write,@geo,@slow - RW+update@i1/r0:1:0
geodist @read,@geo,@slow - RO+access@i1/r0:1:0
geohash @read,@geo,@slow - RO+access@i1/r0:1:0
geopos @read,@geo,@slow - RO+access@i1/r0:1:0
georadius @write,@geo,@slow - RO+access@i1/r0:1:0 OW+update@kSTORE:6/r0:1:0 OW+update@kSTOREDIST:6/r0:1:0
georadius_ro @read,@geo,@slow - RO+access@i1/r0:1:0
georadiusbymember @write,@geo,@slow - RO+access@i1/r0:1:0 OW+update@kSTORE:5/r0:1:0 OW+update@kSTOREDIST:5/r0:1:0
georadiusbymember_ro @read,@geo,@slow - RO+access@i1/r0:1:0
geosearch @read,@geo,@slow - RO+access@i1/r0:1:0
geosearchstore @write,@geo,@slow - OW+update@i1/r0:1:0 RO+access@i2/r0:1:0
get @read,@string,@fast - RO+access@i1/r0:1:0
getbit @read,@bitmap,@fast - RO+access@i1/r0:1:0
getdel @write,@string,@fast - RW+access+delete@i1/r0:1:0
getex @write,@string,@fast - RW+access+update@i1/r0:1:0#3
getrange @read,@string,@slow - RO+access@i1/r0:1:0
getset @write,@string,@fast - RW+access+update@i1/r0:1:0
hdel @write,@hash,@fast - RW+delete@i1/r0:1:0
hello @fast,@connection -
hexists @read,@hash,@fast - RO@i1/r0:1:0
hget @read,@hash,@fast - RO+access@i1/r0:1:0
hgetall @read,@hash,@slow nondeterministic_output_order RO+access@i1/r0:1:0
hincrby @write,@hash,@fast - RW+access+update@i1/r0:1:0
hincrbyfloat @write,@hash,@fast - RW+access+update@i1/r0:1:0
hkeys @read,@hash,@slow nondeterministic_output_order RO+access@i1/r0:1:0
hlen @read,@hash,@fast - RO@i1/r0:1:0
hmget @read,@hash,@fast - RO+access@i1/r0:1:0
hmset @write,@hash,@fast - RW+update@i1/r0:1:0
hrandfield @read,@hash,@slow nondeterministic_output RO+access@i1/r0:1:0
hscan @read,@hash,@slow nondeterministic_output RO+access@i1/r0:1:0
hset @write,@hash,@fast - RW+update@i1/r0:1:0
hsetnx @write,@hash,@fast - RW+insert@i1/r0:1:0
hstrlen @read,@hash,@fast - RO@i1/r0:1:0
hvals @read,@hash,@slow nondeterministic_output_order RO+access@i1/r0:1:0
incr @write,@string,@fast - RW+access+update@i1/r0:1:0
incrby @write,@string,@fast - RW+access+update@i1/r0:1:0
incrbyfloat @write,@string,@fast - RW+access+update@i1/r0:1:0
info @slow,@dangerous nondeterministic_output,request_policy:all_shards,response_policy:special
keys @keyspace,@read,@slow,@dangerous request_policy:all_shards,nondeterministic_output_order
lastsave @admin,@fast,@dangerous nondeterministic_output
latency @slow -
latency|doctor @admin,@slow,@dangerous nondeterministic_output,request_policy:all_nodes,response_policy:special
latency|graph @admin,@slow,@dangerous nondeterministic_output,request_policy:all_nodes,response_policy:special
latency|help @slow -
latency|histogram @admin,@slow,@dangerous nondeterministic_output,request_policy:all_nodes,response_policy:special
latency|history @admin,@slow,@dangerous nondeterministic_output,request_policy:all_nodes,response_policy:special
latency|latest @admin,@slow,@dangerous nondeterministic_output,request_policy:all_nodes,response_policy:special
latency|reset @admin,@slow,@dangerous request_policy:all_nodes,response_policy:all_succeeded
lcs @read,@string,@slow - RO+access@i1/r1:1:0
lindex @read,@list,@slow - RO+access@i1/r0:1:0
linsert @write,@list,@slow - RW+insert@i1/r0:1:0
llen @read,@list,@fast - RO@i1/r0:1:0
lmove @write,@list,@slow - RW+access+delete@i1/r0:1:0 RW+insert@i2/r0:1:0
lmpop @write,@list,@slow - RW+access+delete@i1/n0:1:1
lolwut @read,@fast -
lpop @write,@list,@fast - RW+access+delete@i1/r0:1:0
lpos @read,@list,@slow - RO+access@i1/r0:1:0
lpush @write,@list,@fast - RW+insert@i1/r0:1:0
lpushx @write,@list,@fast - RW+insert@i1/r0:1:0
lrange @read,@list,@slow - RO+access@i1/r0:1:0
lrem @write,@list,@slow - RW+delete@i1/r0:1:0
lset @write,@list,@slow - RW+update@i1/r0:1:0
ltrim @write,@list,@slow - RW+delete@i1/r0:1:0
memory @slow -
memory|doctor @slow nondeterministic_output,request_policy:all_shards,response_policy:special
memory|help @slow -
memory|malloc-stats @slow nondeterministic_output,request_policy:all_shards,response_policy:special
memory|purge @slow request_policy:all_shards,response_policy:all_succeeded
memory|stats @slow nondeterministic_output,request_policy:all_shards,response_policy:special
memory|usage @read,@slow - RO@i2/r0:1:0
mget @read,@string,@fast request_policy:multi_shard RO+access@i1/r-1:1:0
migrate @keyspace,@write,@slow,@dangerous nondeterministic_output RW+access+delete@i3/r0:1:0 RW+access+delete+incomplete@kKEYS:-2/r-1:1:0
module @slow -
module|help @slow -
module|list @admin,@slow,@dangerous nondeterministic_output_order
module|load @admin,@slow,@dangerous -
module|loadex @admin,@slow,@dangerous -
module|unload @admin,@slow,@dangerous -
monitor @admin,@slow,@dangerous -
move @keyspace,@write,@fast - RW+access+update@i1/r0:1:0
mset @write,@string,@slow request_policy:multi_shard,response_policy:all_succeeded OW+update@i1/r-1:2:0
msetnx @write,@string,@slow request_policy:multi_shard,response_policy:agg_min OW+insert@i1/r-1:2:0
multi @fast,@transaction -
object @slow -
object|encoding @keyspace,@read,@slow nondeterministic_output RO@i2/r0:1:0
object|freq @keyspace,@read,@slow nondeterministic_output RO@i2/r0:1:0
object|help @keyspace,@slow -
object|idletime @keyspace,@read,@slow nondeterministic_output RO@i2/r0:1:0
object|refcount @keyspace,@read,@slow nondeterministic_output RO@i2/r0:1:0
persist @keyspace,@write,@fast - RW+update@i1/r0:1:0
pexpire @keyspace,@write,@fast - RW+update@i1/r0:1:0
pexpireat @keyspace,@write,@fast - RW+update@i1/r0:1:0
pexpiretime @keyspace,@read,@fast - RO+access@i1/r0:1:0
pfadd @write,@hyperloglog,@fast - RW+insert@i1/r0:1:0
pfcount @read,@hyperloglog,@slow - RW+access@i1/r-1:1:0#4
pfdebug @write,@hyperloglog,@admin,@slow,@dangerous - RW+access@i2/r0:1:0
pfmerge @write,@hyperloglog,@slow - RW+access+insert@i1/r0:1:0 RO+access@i2/r-1:1:0
pfselftest @hyperloglog,@admin,@slow,@dangerous -
ping @fast,@connection request_policy:all_shards,response_policy:all_succeeded
psetex @write,@string,@slow - OW+update@i1/r0:1:0
psubscribe @pubsub,@slow -
psync @admin,@slow,@dangerous -
pttl @keyspace,@read,@fast nondeterministic_output RO+access@i1/r0:1:0
publish @pubsub,@fast -
pubsub @slow -
pubsub|channels @pubsub,@slow -
pubsub|help @slow -
pubsub|numpat @pubsub,@slow -
pubsub|numsub @pubsub,@slow -
pubsub|shardchannels @pubsub,@slow -
pubsub|shardnumsub @pubsub,@slow -
punsubscribe @pubsub,@slow -
quit @fast,@connection -
randomkey @keyspace,@read,@slow request_policy:all_shards,nondeterministic_output
readonly @fast,@connection -
readwrite @fast,@connection -
rename @keyspace,@write,@slow - RW+access+delete@i1/r0:1:0 OW+update@i2/r0:1:0
renamenx @keyspace,@write,@fast - RW+access+delete@i1/r0:1:0 OW+insert@i2/r0:1:0
replconf @admin,@slow,@dangerous -
replicaof @admin,@slow,@dangerous -
reset @fast,@connection -
restore @keyspace,@write,@slow,@dangerous - OW+update@i1/r0:1:0
restore-asking @keyspace,@write,@slow,@dangerous - OW+update@i1/r0:1:0
role @admin,@fast,@dangerous -
rpop @write,@list,@fast - RW+access+delete@i1/r0:1:0
rpoplpush @write,@list,@slow - RW+access+delete@i1/r0:1:0 RW+insert@i2/r0:1:0
rpush @write,@list,@fast - RW+insert@i1/r0:1:0
rpushx @write,@list,@fast - RW+insert@i1/r0:1:0
sadd @write,@set,@fast - RW+insert@i1/r0:1:0
save @admin,@slow,@dangerous -
scan @keyspace,@read,@slow nondeterministic_output,request_policy:special
scard @read,@set,@fast - RO@i1/r0:1:0
script @slow -
script|debug @slow,@scripting -
script|exists @slow,@scripting request_policy:all_shards,response_policy:agg_logical_and
script|flush @slow,@scripting request_policy:all_nodes,response_policy:all_succeeded
script|help @slow,@scripting -
script|kill @slow,@scripting request_policy:all_shards,response_policy:one_succeeded
script|load @slow,@scripting request_policy:all_nodes,response_policy:all_succeeded
sdiff @read,@set,@slow nondeterministic_output_order RO+access@i1/r-1:1:0
sdiffstore @write,@set,@slow - OW+update@i1/r0:1:0 RO+access@i2/r-1:1:0
select @fast,@connection -
set @write,@string,@slow - RW+access+update+variable_flags@i1/r0:1:0#5
setbit @write,@bitmap,@slow - RW+access+update@i1/r0:1:0
setex @write,@string,@slow - OW+update@i1/r0:1:0
setnx @write,@string,@fast - OW+insert@i1/r0:1:0
setrange @write,@string,@slow - RW+update@i1/r0:1:0
shutdown @admin,@slow,@dangerous -
sinter @read,@set,@slow nondeterministic_output_order RO+access@i1/r-1:1:0
sintercard @read,@set,@slow - RO+access@i1/n0:1:1
sinterstore @write,@set,@slow - RW+update@i1/r0:1:0 RO+access@i2/r-1:1:0
sismember @read,@set,@fast - RO@i1/r0:1:0
slaveof @admin,@slow,@dangerous -
slowlog @slow -
slowlog|get @admin,@slow,@dangerous request_policy:all_nodes,nondeterministic_output
slowlog|help @slow -
slowlog|len @admin,@slow,@dangerous request_policy:all_nodes,response_policy:agg_sum,nondeterministic_output
slowlog|reset @admin,@slow,@dangerous request_policy:all_nodes,response_policy:all_succeeded
smembers @read,@set,@slow nondeterministic_output_order RO+access@i1/r0:1:0
smismember @read,@set,@fast - RO+access@i1/r0:1:0
smove @write,@set,@fast - RW+access+delete@i1/r0:1:0 RW+insert@i2/r0:1:0
sort @write,@set,@sortedset,@list,@slow,@dangerous - RO+access@i1/r0:1:0 RO+access@u/u#6 OW+update@u/u#7
sort_ro @read,@set,@sortedset,@list,@slow,@dangerous - RO+access@i1/r0:1:0 RO+access@u/u#6
spop @write,@set,@fast nondeterministic_output RW+access+delete@i1/r0:1:0
spublish @pubsub,@fast - not_key@i1/r0:1:0
srandmember @read,@set,@slow nondeterministic_output RO+access@i1/r0:1:0
srem @write,@set,@fast - RW+delete@i1/r0:1:0
sscan @read,@set,@slow nondeterministic_output RO+access@i1/r0:1:0
ssubscribe @pubsub,@slow - not_key@i1/r-1:1:0
strlen @read,@string,@fast - RO@i1/r0:1:0
subscribe @pubsub,@slow -
substr @read,@string,@slow - RO+access@i1/r0:1:0
sunion @read,@set,@slow nondeterministic_output_order RO+access@i1/r-1:1:0
sunionstore @write,@set,@slow - OW+update@i1/r0:1:0 RO+access@i2/r-1:1:0
sunsubscribe @pubsub,@slow - not_key@i1/r-1:1:0
swapdb @keyspace,@write,@fast,@dangerous -
sync @admin,@slow,@dangerous -
time @fast nondeterministic_output
touch @keyspace,@read,@fast request_policy:multi_shard,response_policy:agg_sum RO@i1/r-1:1:0
ttl @keyspace,@read,@fast nondeterministic_output RO+access@i1/r0:1:0
type @keyspace,@read,@fast - RO@i1/r0:1:0
unlink @keyspace,@write,@fast request_policy:multi_shard,response_policy:agg_sum RM+delete@i1/r-1:1:0
unsubscribe @pubsub,@slow -
unwatch @fast,@transaction -
wait @slow,@connection request_policy:all_shards,response_policy:agg_min
watch @fast,@transaction - RO@i1/r-1:1:0
xack @write,@stream,@fast - RW+update@i1/r0:1:0
xadd @write,@stream,@fast nondeterministic_output RW+update@i1/r0:1:0#8
xautoclaim @write,@stream,@fast nondeterministic_output RW+delete@i1/r0:1:0
xclaim @write,@stream,@fast nondeterministic_output RW+update@i1/r0:1:0
xdel @write,@stream,@fast - RW+delete@i1/r0:1:0
xgroup @slow -
xgroup|create @write,@stream,@slow - RW+insert@i2/r0:1:0
xgroup|createconsumer @write,@stream,@slow - RW+insert@i2/r0:1:0
xgroup|delconsumer @write,@stream,@slow - RW+delete@i2/r0:1:0
xgroup|destroy @write,@stream,@slow - RW+delete@i2/r0:1:0
xgroup|help @stream,@slow -
xgroup|setid @write,@stream,@slow - RW+update@i2/r0:1:0
xinfo @slow -
xinfo|consumers @read,@stream,@slow nondeterministic_output RO+access@i2/r0:1:0
xinfo|groups @read,@stream,@slow - RO+access@i2/r0:1:0
xinfo|help @stream,@slow -
xinfo|stream @read,@stream,@slow - RO+access@i2/r0:1:0
xlen @read,@stream,@fast - RO@i1/r0:1:0
xpending @read,@stream,@slow nondeterministic_output RO+access@i1/r0:1:0
xrange @read,@stream,@slow - RO+access@i1/r0:1:0
xread @read,@stream,@slow,@blocking - RO+access@kSTREAMS:1/r-1:1:2
xreadgroup @write,@stream,@slow,@blocking - RO+access@kSTREAMS:4/r-1:1:2
xrevrange @read,@stream,@slow - RO+access@i1/r0:1:0
xsetid @write,@stream,@fast - RW+update@i1/r0:1:0
xtrim @write,@stream,@slow nondeterministic_output RW+delete@i1/r0:1:0
zadd @write,@sortedset,@fast - RW+update@i1/r0:1:0
zcard @read,@sortedset,@fast - RO@i1/r0:1:0
zcount @read,@sortedset,@fast - RO+access@i1/r0:1:0
zdiff @read,@sortedset,@slow - RO+access@i1/n0:1:1
zdiffstore @write,@sortedset,@slow - OW+update@i1/r0:1:0 RO+access@i2/n0:1:1
zincrby @write,@sortedset,@fast - RW+access+update@i1/r0:1:0
zinter @read,@sortedset,@slow - RO+access@i1/n0:1:1
zintercard @read,@sortedset,@slow - RO+access@i1/n0:1:1
zinterstore @write,@sortedset,@slow - OW+update@i1/r0:1:0 RO+access@i2/n0:1:1
zlexcount @read,@sortedset,@fast - RO+access@i1/r0:1:0
zmpop @write,@sortedset,@slow - RW+access+delete@i1/n0:1:1
zmscore @read,@sortedset,@fast - RO+access@i1/r0:1:0
zpopmax @write,@sortedset,@fast - RW+access+delete@i1/r0:1:0
zpopmin @write,@sortedset,@fast - RW+access+delete@i1/r0:1:0
zrandmember @read,@sortedset,@slow nondeterministic_output RO+access@i1/r0:1:0
zrange @read,@sortedset,@slow - RO+access@i1/r0:1:0
zrangebylex @read,@sortedset,@slow - RO+access@i1/r0:1:0
zrangebyscore @read,@sortedset,@slow - RO+access@i1/r0:1:0
zrangestore @write,@sortedset,@slow - OW+update@i1/r0:1:0 RO+access@i2/r0:1:0
zrank @read,@sortedset,@fast - RO+access@i1/r0:1:0
zrem @write,@sortedset,@fast - RW+delete@i1/r0:1:0
zremrangebylex @write,@sortedset,@slow - RW+delete@i1/r0:1:0
zremrangebyrank @write,@sortedset,@slow - RW+delete@i1/r0:1:0
zremrangebyscore @write,@sortedset,@slow - RW+delete@i1/r0:1:0
zrevrange @read,@sortedset,@slow - RO+access@i1/r0:1:0
zrevrangebylex @read,@sortedset,@slow - RO+access@i1/r0:1:0
zrevrangebyscore @read,@sortedset,@slow - RO+access@i1/r0:1:0
zrevrank @read,@sortedset,@fast - RO+access@i1/r0:1:0
zscan @read,@sortedset,@slow nondeterministic_output RO+access@i1/r0:1:0
zscore @read,@sortedset,@fast - RO+access@i1/r0:1:0
zunion @read,@sortedset,@slow - RO+access@i1/n0:1:1
zunionstore @write,@sortedset,@slow - OW+update@i1/r0:1:0 RO+access@i2/n0:1:1
`

/** Notes of key specifications, by number. */
export const keySpecNotes = [
  'This command allows both access and modification of the key',
  'We cannot tell how the keys will be used so we assume the worst, RW and UPDATE',
  'We cannot tell how the keys will be used so we assume the worst, RO and ACCESS',
  'RW and UPDATE because it changes the TTL',
  'RW because it may change the internal representation of the key, and propagate to replicas',
  'RW and ACCESS due to the optional `GET` argument',
  "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort",
  "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in the argument array",
  'UPDATE instead of INSERT because of the optional trimming feature',
]
