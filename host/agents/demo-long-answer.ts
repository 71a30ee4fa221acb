/* A long answer with every kind of markdown that a transcript shows, and a little reasoning before it. */
import type { Say } from './demo-language.ts'

export function longReasoning(say: Say): string {
  return say(
    'A long answer was asked for. I go through the life of a migration: before, during, after. Headings and lists carry most of it; one table compares, one block of code shows the loop, and a quotation closes it.',
    '需要一篇长回答。我按迁移的过程来讲：之前、之中、之后。标题和列表为主，一张表作比较，一段代码说明循环，最后以引文结束。',
  )
}

export function longAnswer(say: Say): string {
  return say(english, chinese)
}

const english = `# Changing a large table without stopping the service

A table of this size cannot be rewritten in one statement while people use it. Everything below follows from one rule: **no statement may hold a lock for longer than a request may wait**.

## Before

1. Measure how many writes a second the table takes, and when it takes the fewest.
2. Take a snapshot, and *restore it somewhere* before relying on it.
3. Write down what ends the run: a number, not a feeling.

> A backup that was never restored is a hope, not a backup.

### What to measure

| Figure | Where it comes from | Why it matters |
| --- | --- | --- |
| Writes a second | statistics of the last week | sets the size of a batch |
| Replica lag | every replica, not the mean | the slowest one decides |
| Longest transaction | activity view | it blocks the swap of names |

## During

The copy walks through the key in batches. Each batch is one transaction, so stopping in the middle loses nothing:

\`\`\`sql
insert into orders_next
select o.*, 'open'
from orders o
where o.id > $1 and o.id <= $1 + 572000
on conflict (id) do nothing;
\`\`\`

Triggers keep the part that is already copied in step. Between two batches the loop looks at the replicas:

\`\`\`python
for start in range(0, last_id, batch):
    while max(lag(replica) for replica in replicas) > 5:
        sleep(1)
    copy(start, start + batch)
\`\`\`

Three things go wrong more often than others:

- **A long transaction** of a report keeps the old rows alive.
  - End it, or wait; the copy itself is not hurt.
  - The swap of names must wait for it in any case.
- **A batch times out** on a lock. Repeating it once is normal. Repeating it five times is a sign that something else holds the row.
- **The disk fills up**, because the new table, its index and the write-ahead log all grow at the same time.

## The switch

The only moment with a lock is the exchange of names. It takes less than half a second, and it is tried with a short timeout:

1. \`set lock_timeout = '400ms'\`
2. Rename both tables in one transaction.
3. When it times out, wait a minute and try again. ~~Raise the timeout until it works.~~

## After

- [x] Compare counts and checksums of both tables.
- [x] Keep the old table for seven days.
- [ ] Drop the triggers, and only then the old table.

More about lock levels is in the [manual of the database](https://www.postgresql.org/docs/current/explicit-locking.html).

---

That was the long answer. It came in small pieces, as any model's does.`

const chinese = `# 不停服务修改大表

这样大小的表，在有人使用时不能用一条语句改写。下面的一切都来自一条规则：**任何语句持有锁的时间，都不能超过一个请求可以等待的时间**。

## 之前

1. 测出每秒有多少写入，以及何时最少。
2. 做一次快照，并且*在别处恢复一次*，再去依赖它。
3. 写明什么情况下停止：要写数字，不要写感觉。

> 从未恢复过的备份只是愿望，不是备份。

### 需要测量什么

| 数值 | 来源 | 为什么重要 |
| --- | --- | --- |
| 每秒写入 | 最近一周的统计 | 决定每批的大小 |
| 复制延迟 | 每一个副本，而不是平均值 | 最慢的那个说了算 |
| 最长事务 | 活动视图 | 它会阻塞表名交换 |

## 之中

复制按主键分批进行。每批是一个事务，中途停下不会丢失任何东西：

\`\`\`sql
insert into orders_next
select o.*, 'open'
from orders o
where o.id > $1 and o.id <= $1 + 572000
on conflict (id) do nothing;
\`\`\`

触发器让已复制的部分保持同步。两批之间，循环会查看各个副本：

\`\`\`python
for start in range(0, last_id, batch):
    while max(lag(replica) for replica in replicas) > 5:
        sleep(1)
    copy(start, start + batch)
\`\`\`

有三件事比其他事更容易出错：

- **长事务**：某个报表的事务让旧行一直保留。
  - 结束它，或者等待；复制本身不受影响。
  - 表名交换无论如何都要等它。
- **某批锁超时**。重试一次是正常的；重试五次，说明别的东西占着那一行。
- **磁盘写满**，因为新表、索引和预写日志同时在增长。

## 切换

唯一需要锁的时刻是交换表名。它不到半秒，并且用很短的超时来尝试：

1. \`set lock_timeout = '400ms'\`
2. 在一个事务里重命名两张表。
3. 超时就等一分钟再试。~~把超时调大，直到成功为止。~~

## 之后

- [x] 比较两张表的行数和校验和。
- [x] 旧表保留七天。
- [ ] 先删除触发器，然后才删除旧表。

关于锁级别，可参阅[数据库手册](https://www.postgresql.org/docs/current/explicit-locking.html)。

---

以上就是长回答。它和任何模型的回答一样，是一小段一小段送达的。`
