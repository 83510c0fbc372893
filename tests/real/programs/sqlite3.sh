# A database in a file: a journal, an index, a roll-back, a dump, an error.
# NEEDS: sqlite3
# SEES: open64 sqlite3_prepare_v2 sqlite3_step fdatasync|fsync
. "$HERE/lib.sh"
[ "$LONG" = 1 ] && rows=500000 || rows=20000
traced sqlite3 -batch data.db <<END
pragma journal_mode = wal;
create table item (id integer primary key, name text, weight real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < $rows)
    insert into item select i, 'item ' || i, i * 1.5 from n;
create index item_name on item (name);
begin; delete from item where id % 7 = 0; rollback;
select count(*), sum(weight), max(name) from item;
select name from item where name like '%77' order by weight desc limit 5;
explain query plan select * from item where name = 'item 9';
END
echo "status $?"
traced sqlite3 data.db 'select * from nothing' 2>&1
echo "status $?"
traced sqlite3 data.db .dump | sha256sum
traced sqlite3 data.db 'pragma integrity_check; vacuum; select count(*) from item where id < 500'
sha256sum <data.db
