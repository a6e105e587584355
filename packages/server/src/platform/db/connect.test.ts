import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { openDatabase } from './connect.ts';
import { json, raw, rows, sql } from './sql.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
  await database.execute(raw('create table item (id integer primary key, label text)'));
});

const labels = async () =>
  (await database.query<{ label: string }>(sql`select label from item order by id`)).map((row) => row.label);

describe('values', () => {
  test('come back as the types the stores expect', async () => {
    const moment = new Date('2026-02-03T04:05:06.789Z');
    const bytes = Buffer.from([0, 255, 128]);
    const [row] = await database.query(
      sql`select ${moment}::timestamptz as moment, ${bytes}::bytea as bytes, 9007199254740991::bigint as safe,
            9007199254740993::bigint as unsafe, array[1, 9007199254740993]::bigint[] as many, '2026-02-03'::date as day,
            12.50::numeric as amount, ${json([{ a: 1 }])}::jsonb as document, ${undefined}::text as nothing`,
    );
    expect(row).toEqual({
      moment,
      bytes,
      safe: 9007199254740991,
      unsafe: '9007199254740993',
      many: [1, '9007199254740993'],
      day: '2026-02-03',
      amount: '12.50',
      document: [{ a: 1 }],
      nothing: null,
    });
  });

  test('too many parameters are refused instead of wrapped round', async () => {
    const many = rows(Array.from({ length: 65_536 }, () => [1]));
    await expect(database.query(sql`select count(*) from (values ${many}) as v`)).rejects.toThrow('65536 parameters');
  });
});

describe('statements', () => {
  test('execute tells the number of changed rows', async () => {
    expect(await database.execute(sql`insert into item values (100, 'a'), (101, 'b')`)).toBe(2);
    expect(await database.execute(sql`delete from item where id = ${100}`)).toBe(1);
    expect(await database.execute(sql`delete from item where id >= ${100}`)).toBe(1);
  });

  test('with a fixed text are prepared once per connection', async () => {
    const one = openDatabase(database.url, { poolSize: 1 });
    const ask = (value: number) => one.query(sql`select ${value}::int as value`);
    await ask(1);
    await ask(2);
    const prepared = await one.query(
      raw(`select statement from pg_prepared_statements where statement like 'select $1::int%'`),
    );
    await one.close();
    expect(prepared).toHaveLength(1);
  });

  test('survive a table that a migration changed under them', async () => {
    await database.execute(raw('create table changing (a int)'));
    await database.execute(raw('insert into changing values (1)'));
    const one = openDatabase(database.url, { poolSize: 1 });
    const read = () => one.query(sql`select * from changing`);
    expect(await read()).toEqual([{ a: 1 }]);
    await database.execute(raw('alter table changing add column b int default 2'));
    expect(await read()).toEqual([{ a: 1, b: 2 }]);
    await one.close();
  });

  test('that run too long are cancelled, and the connection stays usable', async () => {
    const hasty = openDatabase(database.url, { poolSize: 1, statementTimeoutMs: 20 });
    await expect(hasty.query(sql`select pg_sleep(10)`)).rejects.toMatchObject({ code: '57014' });
    expect(await hasty.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await hasty.close();
  });
});

describe('a transaction', () => {
  test('keeps everything when it ends well and nothing when it throws', async () => {
    const result = await database.transaction(async (tx) => {
      await tx.execute(sql`insert into item values (1, 'kept')`);
      return 'answer';
    });
    expect(result).toBe('answer');
    const failing = database.transaction(async (tx) => {
      await tx.execute(sql`insert into item values (2, 'lost')`);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await labels()).toEqual(['kept']);
  });

  test('does not pretend success when a failed statement was swallowed', async () => {
    const swallowing = database.transaction(async (tx) => {
      await tx.execute(sql`insert into item values (3, 'lost')`);
      await tx.execute(sql`select 1 / 0`).catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await labels()).not.toContain('lost');
  });

  test('refuses statements after its end', async () => {
    const escaped = await database.transaction(async (tx) => tx);
    await expect(escaped.query(sql`select 1`)).rejects.toThrow('after its transaction had ended');
  });

  test('runs statements given at once one after the other', async () => {
    const all = await database.transaction((tx) =>
      Promise.all([1, 2, 3].map((value) => tx.query(sql`select ${value}::int as value`))),
    );
    expect(all).toEqual([[{ value: 1 }], [{ value: 2 }], [{ value: 3 }]]);
  });

  test('runs again after a serialization failure only when told to', async () => {
    await database.execute(raw('create table counter (value int)'));
    await database.execute(raw('insert into counter values (0)'));
    let runs = 0;
    const increment = (retries: number) =>
      database.transaction(
        async (tx) => {
          runs += 1;
          const [row] = await tx.query<{ value: number }>(sql`select value from counter`);
          if (runs === 1) await database.execute(sql`update counter set value = value + 10`);
          await tx.execute(sql`update counter set value = ${row!.value + 1}`);
        },
        { isolation: 'serializable', retries },
      );
    await expect(increment(0)).rejects.toMatchObject({ code: '40001' });
    runs = 0;
    await increment(2);
    expect(runs).toBe(2);
    expect(await database.query(sql`select value from counter`)).toEqual([{ value: 21 }]);
  });

  test('whose connection is cut says so, and the pool goes on', async () => {
    const cut = database.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await database.query(sql`select pg_terminate_backend(${row!.pid})`);
      await tx.query(sql`select 1`);
    });
    // Which of the two depends on whether the driver has noticed yet; it is never the failed rollback.
    await expect(cut).rejects.toThrow(/terminating connection|connection terminated|connection error/i);
    expect(await database.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});

describe('listen', () => {
  const collector = () => {
    const waiting: ((payload: string) => void)[] = [];
    const came: string[] = [];
    return {
      notified: (payload: string) => {
        const next = waiting.shift();
        if (next) next(payload);
        else came.push(payload);
      },
      next: () => new Promise<string>((resolve) => (came.length > 0 ? resolve(came.shift()!) : waiting.push(resolve))),
      came,
    };
  };
  const notify = (channel: string, payload: string) => database.execute(sql`select pg_notify(${channel}, ${payload})`);

  test('hears notifications of its channel once they are committed, until it is stopped', async () => {
    const one = collector();
    const two = collector();
    const stopOne = await database.listen('Channel "one"', one.notified);
    const stopTwo = await database.listen('Channel "one"', two.notified);
    await notify('other', 'unheard');
    await notify('Channel "one"', 'first');
    expect(await one.next()).toBe('first');
    expect(await two.next()).toBe('first');
    await stopOne();
    await notify('Channel "one"', 'second');
    expect(await two.next()).toBe('second');
    expect(one.came).toEqual([]);
    await stopTwo();
  });

  test('calls back once after a lost connection, and hears on', async () => {
    const heard = collector();
    const stop = await database.listen('fragile', heard.notified);
    await database.query(
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like 'listen %' and pid <> pg_backend_pid()`,
    );
    expect(await heard.next()).toBe('');
    await notify('fragile', 'again');
    expect(await heard.next()).toBe('again');
    await stop();
  });

  test('ends without waiting for a server that is gone', async () => {
    const { hostname, port } = new URL(database.url);
    const sockets = new Set<Socket>();
    const way = createServer((socket) => {
      const onward = connect(Number(port), hostname);
      for (const end of [socket, onward]) sockets.add(end.on('error', () => end.destroy()));
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
    const remote = openDatabase(url.href, { connectPatienceMs: 150 });
    const heard = collector();
    const stop = await remote.listen('remote', heard.notified);
    await notify('remote', 'there');
    expect(await heard.next()).toBe('there');
    way.close();
    for (const socket of sockets) socket.destroy();
    await expect(remote.query(sql`select 1`)).rejects.toThrow();
    await stop();
    await remote.close();
    expect(heard.came).toEqual([]);
  });
});

test('a server that is away makes queries wait for a while, then fail', async () => {
  const nowhere = openDatabase('postgres://x:y@127.0.0.1:1/none', { connectPatienceMs: 150 });
  await expect(nowhere.query(sql`select 1`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await nowhere.close();
});

test('a server that ends a connection in the breath in which it opened it fails the query and nothing else', async () => {
  const packet = (type: string, body: string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, Buffer.from(body, 'latin1')]);
  };
  const accepted = packet('R', '\0\0\0\0');
  const ready = packet('Z', 'I');
  const fatal = packet('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(Buffer.concat([accepted, ready, fatal])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hasty = openDatabase(`postgres://x:y@127.0.0.1:${port}/none?sslmode=disable`, { connectPatienceMs: 0 });
  await expect(hasty.query(sql`select 1`)).rejects.toThrow();
  await hasty.close();
  server.close();
});
