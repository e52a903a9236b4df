import { fail, failField } from '#kit'
import { notificationTypes } from '../../../api/resources/notification.ts'
import type { Caller, NotificationTarget, NotificationType } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { readSecret } from '../subscriptions/input.ts'
import { notificationsOwner } from './notification.ts'
import { rotateSecret } from './rotate-secret.ts'
import type { Rotation } from './rotate-secret.ts'
import type { NotificationTarget as NotificationTargetView } from '../../../api/resources/notification.ts'

export type { NotificationTargetView }

export type NewNotificationTarget = {
  /** Absent or null: notifications go to the `onNotification` callback of the library. */
  url?: string | null | undefined
  types?: NotificationType[] | null | undefined
  /** Absent: the present secret stays; if there is none, one is generated and shown once. */
  secret?: string | undefined
}

type NotificationTargetsDependencies = Pick<TriggerParts, 'store' | 'vault' | 'wire' | 'clock' | 'onNotification'>

const iso = (at: number) => new Date(at).toISOString()

/** Manages where the notifications of each tenant are sent. */
export const createNotificationTargets = ({
  store,
  vault,
  wire,
  clock,
  onNotification,
}: NotificationTargetsDependencies) => {
  const view = (
    { tenant, url, types, previousUntil, createdAt, updatedAt }: NotificationTarget,
    shown?: string,
  ): NotificationTargetView => ({
    tenant,
    url,
    types,
    ...(shown === undefined ? {} : { secret: shown }),
    previousSecretUntil: previousUntil !== null && previousUntil > clock.now() ? iso(previousUntil) : null,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  })
  const mustGet = async ({ tenant }: Caller): Promise<NotificationTarget> => {
    const row = await store.notifications.get(tenant)
    if (!row)
      throw fail(
        'not_found',
        `The tenant "${tenant}" has no address for notifications. Set one with PUT /v1/admin/notifications.`,
      )
    return row
  }
  const check = async (tenant: string, { url = null, types }: NewNotificationTarget) => {
    if (!(await store.tenants.get(tenant))) throw failField('tenant', `There is no tenant "${tenant}".`, 'not_found')
    if (url !== null) wire.checkTarget(url)
    else if (!onNotification)
      throw failField(
        'url',
        'Give the address to send notifications to. It can be omitted only in library use with an onNotification callback.',
      )
    const wrong = types?.find((type) => !notificationTypes.includes(type))
    if (wrong !== undefined)
      throw failField('types', `"${wrong}" is not a type of notification. There are: ${notificationTypes.join(', ')}.`)
  }

  return {
    get: async (caller: Caller): Promise<NotificationTargetView> => view(await mustGet(caller)),
    /** Creates or replaces the tenant's target. */
    async put({ tenant }: Caller, newTarget: NewNotificationTarget): Promise<NotificationTargetView> {
      await check(tenant, newTarget)
      const present = await store.notifications.get(tenant)
      const now = clock.now()
      const fresh =
        present === undefined || newTarget.secret !== undefined ? readSecret(newTarget.secret, 'secret') : undefined
      const row: NotificationTarget = {
        tenant,
        url: newTarget.url ?? null,
        types: newTarget.types ?? null,
        secrets: fresh ? vault.seal({ tenant, owner: notificationsOwner }, { secret: fresh.secret }) : present!.secrets,
        previousUntil: fresh ? null : present!.previousUntil,
        createdAt: present?.createdAt ?? now,
        updatedAt: now,
      }
      await store.notifications.put(row)
      return view(row, fresh?.isGenerated ? fresh.secret : undefined)
    },
    /** Removes the target; notifications still waiting are not sent either. */
    async remove(caller: Caller): Promise<void> {
      await mustGet(caller)
      await store.notifications.remove(caller.tenant, clock.now())
    },
    async rotateSecret(caller: Caller, rotation: Rotation): Promise<NotificationTargetView> {
      const row = await mustGet(caller)
      const now = clock.now()
      const { changes, shown } = rotateSecret(
        vault,
        { tenant: row.tenant, owner: notificationsOwner },
        row.secrets,
        rotation,
        now,
      )
      const next = { ...row, ...changes, updatedAt: now }
      await store.notifications.put(next)
      return view(next, shown)
    },
  }
}
export type NotificationTargets = ReturnType<typeof createNotificationTargets>
