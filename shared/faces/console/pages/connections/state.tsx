/** What a connection's state means, and what to do about it. */
import type { Connection } from '../../../../api/resources/connection.ts'
import { badgeOf } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

export type State = Connection['state']

export const stateTexts: Record<State, StateWords & { todo: string; brief: string }> = {
  connected: { title: 'Connected', tone: 'good', brief: 'Works.', todo: '' },
  unverified: {
    title: 'Not verified yet',
    tone: 'info',
    brief: 'Its key is saved; the first run shows whether it works.',
    todo: 'Its key is saved. The first successful run verifies it.',
  },
  needs_reconnect: {
    title: 'Needs reconnect',
    tone: 'bad',
    brief: 'The provider no longer accepts its key, so its runs fail and its triggers wait.',
    todo: 'The provider no longer accepts its credential, so runs fail and its triggers wait. Reconnect it with the same account: its name, tokens and triggers are kept, and missed events are recovered.',
  },
  revoked: {
    title: 'Revoked',
    tone: 'bad',
    brief: 'Its secrets were deleted, so nothing can use it.',
    todo: 'Its secrets were deleted, so nothing can use it. Reconnect it with the same account to use it again, or remove it.',
  },
  disabled: {
    title: 'Disabled',
    tone: 'warn',
    brief: 'It is switched off.',
    todo: 'It is switched off, so runs fail and its triggers wait. Enable it to use it again.',
  },
}

/** How a connection is, in a sentence; `stateReason` is a sentence of the server. */
export const healthOf = ({ state, stateReason, lastUsedAt }: Connection): string => {
  if (state === 'connected') return lastUsedAt === null ? 'Works; nothing has used it yet.' : 'Works.'
  return stateReason ?? stateTexts[state].brief
}

export const isBroken = ({ state }: Pick<Connection, 'state'>) => state === 'needs_reconnect' || state === 'revoked'

export const StateBadge = badgeOf(stateTexts)

export const accountOf = ({ account }: Connection) => account?.name

/** Whether the access token has expired; where the provider allows it, the next use renews the token. */
export const hasExpired = ({ expiresAt }: Connection) => expiresAt !== null && Date.parse(expiresAt) <= Date.now()
