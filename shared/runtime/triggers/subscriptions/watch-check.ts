import { fail, namedBy } from '#kit'
import type { Model } from '#kit'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { OpenConnection } from '../../connections/open-connection.ts'
import type { TriggerParts } from '../parts.ts'
import type { ProviderSessions } from '../provider-session.ts'

/** Checks that a connection may watch models. @throws Failure `not_allowed`, `suppressed` */
export const createWatchCheck = ({
  sessions,
  suppressed,
}: Pick<TriggerParts, 'suppressed'> & { sessions: ProviderSessions }) => {
  /**
   * The policy that limits a connection for its callers limits their subscriptions too: each watched object must be
   * within it.
   */
  const requireWithin = async ({ connection }: OpenConnection, loaded: LoadedIntegration, models: Model[]) => {
    const { policy, tenant, id } = connection
    if (!policy?.scopes && !policy?.paths) return
    const { scopes, id: integration } = loaded.integration
    for (const model of models) {
      if (!scopes || model.kind !== scopes.kind) {
        const remedy = scopes ? ` Watch a ${scopes.kind} that the policy allows.` : ''
        throw fail(
          'not_allowed',
          `This connection is limited by its policy, which cannot be applied to a ${model.kind}.${remedy}`,
        )
      }
      await sessions.use(
        { tenant, connection: id, integration },
        'read',
        (ctx) => ctx.send(scopes.byId(model.id)),
        'limited',
      )
    }
  }

  const requireNobodySuppressed = async (tenant: string, { wire: { optOuts } }: LoadedIntegration, models: Model[]) => {
    if (optOuts && (await suppressed(tenant, models.map(namedBy))).includes(true))
      throw fail('suppressed', 'At least one of the people to watch is on the suppression list. Leave them out.')
  }

  /** `listed`: those of a stored list, of which people who are suppressed are left out. */
  return async (
    opened: OpenConnection,
    loaded: LoadedIntegration,
    { named, listed }: { named: Model[]; listed: Model[] },
  ): Promise<void> => {
    await requireWithin(opened, loaded, [...named, ...listed])
    await requireNobodySuppressed(opened.connection.tenant, loaded, named)
  }
}
