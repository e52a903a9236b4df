/** What programs and their scopes are called. */
import type { Grant } from '../../../../api/resources/grant.ts'
import { manifests } from '../../api/index.ts'
import { plural } from '../../ui/index.ts'

export const nameOf = ({ client: { id, name, host } }: Grant) => host ?? name ?? id

const scopes: Record<string, string> = {
  run: 'use its tools',
  'run:read': 'use tools that only read',
  'run:write': 'use tools that change something',
  'run:spend': 'use tools that cost credits',
  read: 'read what is kept here',
  connections: 'connect, change and remove accounts',
  subscriptions: 'attach triggers to agents, replay events',
}

const setTitle = (id: string) =>
  manifests.value.flatMap(({ toolSets }) => toolSets).find((set) => set.id === id)?.title ?? id

export const aboutScope = (scope: string): string | undefined =>
  scope.startsWith('set:') ? `use tools of the set “${setTitle(scope.slice(4))}”` : scopes[scope]

/** What a grant is limited to; undefined: everything that its scopes mean. */
export const limitsOf = ({ steps, connections }: Grant): string | undefined => {
  const limits = [
    ...(steps === null ? [] : [plural(steps.length, 'step')]),
    ...(connections === null ? [] : [plural(connections.length, 'connection')]),
  ]
  return limits.length === 0 ? undefined : `only ${limits.join(', ')}`
}
