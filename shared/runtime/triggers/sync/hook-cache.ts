import type { Hook, Store } from '../../ports/index.ts'

/** Hooks as this process knows them: every one that is not deleted, kept equal to the store by whoever changes them. */
export type HookCache = {
  load(): Promise<void>
  get(id: string): Hook | undefined
  /** Also hooks that are deleted by now, or were made by another process. */
  find(id: string): Hook | undefined | Promise<Hook | undefined>
  /** The one in use for a model. */
  live(tenant: string, connection: string, model: string): Hook | undefined
  ofConnection(tenant: string, connection: string): Hook[]
  all(): Hook[]
  keep(hook: Hook): Hook
  /** Writes changes to the store and gives the hook as it is then. */
  change(hook: Hook, changes: Partial<Omit<Hook, 'tenant' | 'id' | 'createdAt'>>): Promise<Hook>
}

/** In place of a connection, in the row of a hook that serves a whole app. */
export const noConnection = ''

export const isLive = ({ state }: Hook) => state === 'wanted' || state === 'active' || state === 'broken'

export const createHookCache = (store: Pick<Store, 'hooks'>): HookCache => {
  const byId = new Map<string, Hook>()
  const byConnection = new Map<string, Map<string, Hook>>()
  const nameOf = (tenant: string, connection: string) => `${tenant}\n${connection}`

  const keep = (hook: Hook) => {
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
  const ofConnection = (tenant: string, connection: string) => [...(byConnection.get(nameOf(tenant, connection))?.values() ?? [])]

  return {
    async load() {
      for (const hook of await store.hooks.all()) keep(hook)
    },
    get: (id) => byId.get(id),
    find: (id) => byId.get(id) ?? store.hooks.byId(id),
    live: (tenant, connection, model) => ofConnection(tenant, connection).find((hook) => hook.model === model && isLive(hook)),
    ofConnection,
    all: () => [...byId.values()],
    keep,
    async change(hook, changes) {
      await store.hooks.patch(hook.tenant, hook.id, changes)
      return keep({ ...(byId.get(hook.id) ?? hook), ...changes })
    },
  }
}
