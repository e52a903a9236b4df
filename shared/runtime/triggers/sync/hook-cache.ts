import type { Hook, Store } from '../../ports/index.ts'

/**
 * The hooks that this process knows: all that are not deleted, kept equal to the store when this process or another
 * changes them.
 */
export type HookCache = {
  load(): Promise<void>
  /** Reads the hooks of a connection again: another process may have changed them. */
  reload(tenant: string, connection: string): Promise<void>
  /** Reads one hook again after another process changed it. */
  reread(tenant: string, id: string): Promise<void>
  get(id: string): Hook | undefined
  /** Also finds hooks that are deleted or were created by another process. */
  find(id: string): Hook | undefined | Promise<Hook | undefined>
  /** The hook in use for a model. */
  live(tenant: string, connection: string, model: string): Hook | undefined
  ofConnection(tenant: string, connection: string): Hook[]
  all(): Hook[]
  keep(hook: Hook): Hook
  /** Writes changes to the store and returns the changed hook. */
  change(hook: Hook, changes: Partial<Omit<Hook, 'tenant' | 'id' | 'createdAt'>>): Promise<Hook>
}

/** In place of a connection's id, in the row of a hook that serves a whole app. */
export const noConnection = ''

const presentStates = ['wanted', 'active', 'broken', 'deleting'] as const
const pageSize = 200

export const isLive = ({ state }: Hook) => state === 'wanted' || state === 'active' || state === 'broken'

export const createHookCache = (store: Pick<Store, 'hooks'>): HookCache => {
  const byId = new Map<string, Hook>()
  const byConnection = new Map<string, Map<string, Hook>>()
  /** The ids of hooks in use. */
  const liveIds = new Map<string, string>()
  const nameOf = (tenant: string, connection: string) => `${tenant}\n${connection}`

  /** How often this process changed the cache: a row read before a change may be outdated. */
  let changes = 0

  const keepLive = (hook: Hook) => {
    const name = `${nameOf(hook.tenant, hook.connection)}\n${hook.model}`
    if (isLive(hook)) liveIds.set(name, hook.id)
    else if (liveIds.get(name) === hook.id) liveIds.delete(name)
  }

  const keep = (hook: Hook) => {
    changes += 1
    keepLive(hook)
    const name = nameOf(hook.tenant, hook.connection)
    if (hook.state === 'deleted') {
      byId.delete(hook.id)
      byConnection.get(name)?.delete(hook.id)
      return hook
    }
    byId.set(hook.id, hook)
    const mine = byConnection.get(name)
    if (mine) mine.set(hook.id, hook)
    else byConnection.set(name, new Map([[hook.id, hook]]))
    return hook
  }
  const ofConnection = (tenant: string, connection: string) => [
    ...(byConnection.get(nameOf(tenant, connection))?.values() ?? []),
  ]

  return {
    async load() {
      for (;;) {
        const before = changes
        const all = await store.hooks.all()
        if (before !== changes) continue
        byId.clear()
        byConnection.clear()
        liveIds.clear()
        for (const hook of all) keep(hook)
        return
      }
    },
    async reread(tenant, id) {
      for (;;) {
        const before = changes
        const hook = await store.hooks.get(tenant, id)
        if (before !== changes) continue
        if (hook) keep(hook)
        return
      }
    },
    async reload(tenant, connection) {
      const gone = new Set(ofConnection(tenant, connection).map(({ id }) => id))
      for (const state of presentStates) {
        for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
          const page: Awaited<ReturnType<typeof store.hooks.list>> = await store.hooks.list(
            tenant,
            { limit: pageSize, cursor },
            { connection, state },
          )
          for (const hook of page.items) gone.delete(keep(hook).id)
          cursor = page.next
        }
      }
      for (const id of gone) keep({ ...byId.get(id)!, state: 'deleted' })
    },
    get: (id) => byId.get(id),
    find: (id) => byId.get(id) ?? store.hooks.byId(id),
    live: (tenant, connection, model) => byId.get(liveIds.get(`${nameOf(tenant, connection)}\n${model}`) ?? ''),
    ofConnection,
    all: () => [...byId.values()],
    keep,
    async change(hook, changes) {
      await store.hooks.patch(hook.tenant, hook.id, changes)
      return keep({ ...(byId.get(hook.id) ?? hook), ...changes })
    },
  }
}
