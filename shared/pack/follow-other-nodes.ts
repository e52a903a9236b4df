import type { Intents } from '../runtime/idempotency.ts'
import type { Change } from '../runtime/ports/index.ts'
import type { Background } from '../runtime/steps/background.ts'
import type { Triggers } from '../runtime/triggers/index.ts'
import type { OpenedHolds } from './approvals.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'

type FollowDependencies = {
  foundation: Pick<Foundation, 'store' | 'limits' | 'names' | 'wire'>
  connections: Pick<OpenedConnections, 'openConnections' | 'choices'>
  steps: { intents: Pick<Intents, 'noteSuspect'>; background: Pick<Background, 'cancelHere' | 'forget'> }
  triggers: Pick<Triggers, 'follow' | 'appChanged'>
  holds: Pick<OpenedHolds, 'rules'>
}

/**
 * Updates what this process holds in memory when other processes on the same store change something. Returns a function
 * that stops it.
 */
export const followOtherNodes = ({
  foundation,
  connections,
  steps: { intents, background },
  triggers,
  holds,
}: FollowDependencies): (() => void) => {
  const { store, limits, names, wire } = foundation
  const forget = (of: string) => {
    background.forget(of)
    names.forget(of)
  }
  const { openConnections, choices } = connections

  const tenant = async (id: string) => {
    const policy = (await store.tenants.get(id))?.policy
    limits.set(id, policy?.limits)
    openConnections.policyChangedElsewhere(id, policy)
  }
  const connection = async (of: string, id: string) => {
    await openConnections.changedElsewhere(of, id)
    choices.forget(of)
  }
  const app = (of: string, integration: string) => {
    openConnections.appChanged(of, integration)
    triggers.appChanged(of, integration)
  }
  const everything = async () => {
    for (const { id } of await store.tenants.list()) {
      await tenant(id)
      openConnections.forget(id)
      choices.forget(id)
      forget(id)
    }
    triggers.appChanged('', '')
    await holds.rules.read()
  }

  const followChange = async ({ kind, tenant: of, id }: Change): Promise<void> => {
    if (kind === 'tenant') await tenant(id)
    else if (kind === 'connection') await connection(of, id)
    else if (kind === 'app') app(of, id)
    else if (kind === 'breaker') wire.noteBreaker(id)
    else if (kind === 'cancel') background.cancelHere(of, id)
    else if (kind === 'suspect') intents.noteSuspect(of, id)
    else if (kind === 'erased') forget(of)
    else if (kind === 'approvals') await holds.rules.read()
    else if (kind === 'everything') await everything()
  }

  return (
    store.cluster?.follow(async (changes) => {
      for (const change of changes) await followChange(change)
      await triggers.follow(changes)
    }) ?? (() => {})
  )
}
