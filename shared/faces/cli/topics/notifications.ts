import type { Answer, Input } from '../operations.ts'
import { command, tenant, text, texts } from '../declare.ts'
import type { Context } from '../declare.ts'
import { ifAny, readMs } from '../input.ts'
import { plain } from '../table.ts'

const show = ({ say }: Context, target: Answer<'notifications.getNotificationTarget'>) =>
  say(
    target,
    [
      `Notifications of ${target.tenant} go to ${plain(target.url ?? 'the server process')}: ${target.types?.join(', ') ?? 'every type'}.`,
      ...(target.previousSecretUntil === null
        ? []
        : [`Signed with the previous secret too, until ${target.previousSecretUntil}.`]),
      ...(target.secret === undefined ? [] : [`Its secret, shown only once: ${target.secret}`]),
    ].join('\n'),
  )

export const notificationCommands = [
  command(
    {
      usage: 'notifications',
      about: 'show where notifications about a tenant are sent',
      options: { tenant },
    },
    async (context, { tenant }) => show(context, await context.call('notifications.getNotificationTarget', { tenant })),
  ),
  command(
    {
      usage: 'notifications set <url>',
      about: 'send notifications to this address, as signed POST requests',
      options: {
        tenant,
        type: texts('<type>', 'only of this type; repeat for more'),
        secret: text(
          '<secret>',
          '"whsec_" and 24 to 64 bytes in base64; default: the present one, or a new one that is shown once',
        ),
      },
    },
    async (context, { type, ...target }) =>
      // The server checks the types, and its refusal names those it knows.
      show(
        context,
        await context.call('notifications.putNotificationTarget', {
          ...target,
          types: ifAny(type) as Input<'notifications.putNotificationTarget'>['types'],
        }),
      ),
  ),
  command(
    {
      usage: 'notifications rotate-secret',
      about: 'replace the secret that signs notifications; the new one is shown once',
      options: {
        overlap: text(
          '<time>',
          'how long notifications are signed with the previous secret too, like 12h; default: 1d',
        ),
        tenant,
      },
    },
    async (context, { overlap, tenant }) =>
      show(
        context,
        await context.call('notifications.rotateNotificationSecret', { tenant, overlapMs: readMs('overlap', overlap) }),
      ),
  ),
  command(
    {
      usage: 'notifications remove',
      about: 'remove the address; no notifications are sent',
      options: { tenant },
    },
    async ({ call, say }, { tenant }) => {
      await call('notifications.removeNotificationTarget', { tenant })
      say({ removed: tenant }, `Notifications of ${tenant} are no longer sent.`)
    },
  ),
]
