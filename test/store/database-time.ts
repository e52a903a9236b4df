import { Client } from 'pg'
import type { Store } from '../../shared/runtime/ports/index.ts'

/**
 * From now on the database goes by the time that is set, as for leases and due times it would by its clock. `close`
 * ends the connection.
 */
export const setTimeOf = async (url: string) => {
  const client = new Client({ connectionString: url, options: '-c search_path=toolyard' })
  await client.connect()
  await client.query(`create table set_time (at bigint not null); insert into set_time values (0);
    create or replace function now_ms() returns bigint language sql volatile as 'select at from toolyard.set_time'`)
  return {
    set: async (now: number) => void (await client.query('update set_time set at = $1', [now])),
    close: () => client.end(),
  }
}

/**
 * A store whose database takes the time from each call that says what time it is, so that tests of any store can say
 * so.
 */
export const timedByCalls = async <S extends Store>(store: S, url: string): Promise<S> => {
  const time = await setTimeOf(url)
  const { starts, events, unclaimed } = store
  return {
    ...store,
    starts: {
      ...starts,
      claim: async (now, ...claimArguments) => (await time.set(now), starts.claim(now, ...claimArguments)),
      renew: async (tenant, id, epoch, now, leaseMs) => (
        await time.set(now),
        starts.renew(tenant, id, epoch, now, leaseMs)
      ),
    },
    events: {
      ...events,
      claimPending: async (now, ...claimArguments) => (
        await time.set(now),
        events.claimPending(now, ...claimArguments)
      ),
    },
    unclaimed: {
      ...unclaimed,
      expire: async (now, ...expireArguments) => (await time.set(now), unclaimed.expire(now, ...expireArguments)),
    },
    close: async () => {
      await time.close()
      await store.close()
    },
  }
}
