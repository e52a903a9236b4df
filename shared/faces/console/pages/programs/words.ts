/** What programs and their scopes are called. */
import type { Grant } from '../../../../api/resources/grant.ts'
import { stepNameOf, toolSetTitle } from '../../api/index.ts'
import { plural } from '../../ui/index.ts'

export const nameOf = ({ client: { name, host } }: Grant) => host ?? name ?? 'a program without a name'

const scopes: Record<string, string> = {
  run: 'use its tools',
  'run:read': 'use tools that only read',
  'run:write': 'use tools that change something',
  'run:spend': 'use tools that cost credits',
  read: 'read what is kept here',
  connections: 'connect, change and remove accounts',
  subscriptions: 'attach triggers to agents, replay events',
}

export const aboutScope = (scope: string): string | undefined =>
  scope.startsWith('set:') ? `use tools of the set “${toolSetTitle(scope.slice(4))}”` : scopes[scope]

/** What a program may do, in words. */
export const mayOf = ({ scopes: names }: Pick<Grant, 'scopes'>) =>
  names.map((name) => aboutScope(name) ?? name).join('; ')

export type NameOf = (id: string) => string | undefined

const few = 3
const listed = (all: string[], nameOf: NameOf, noun: string) => {
  const names = all.map(nameOf)
  return all.length <= few && names.every((name) => name !== undefined) ? names.join(', ') : plural(all.length, noun)
}

/** What a grant is limited to; undefined: everything that its scopes mean. */
export const limitsOf = ({ steps, connections }: Grant, nameOfConnection: NameOf): string | undefined => {
  const limits = [
    ...(steps === null ? [] : [listed(steps, stepNameOf, 'step')]),
    ...(connections === null ? [] : [listed(connections, nameOfConnection, 'connection')]),
  ]
  return limits.length === 0 ? undefined : `only ${limits.join('; ')}`
}
