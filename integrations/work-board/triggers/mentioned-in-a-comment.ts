import { boundedText, path, readRow, textOf, z } from '#kit'
import type { WatchContext } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField, memberField } from '../watch-fields.ts'
import { boardsConfig, listsConfig, resolveWatched } from '../event-filters.ts'

/** Whether a text mentions a user name: `@name` as a word of its own, in any case. */
export const mentions = (text: string, username: string): boolean => {
  const words = text.toLowerCase().matchAll(/(^|[^a-z0-9_])@([a-z0-9_]+)/g)
  return [...words].some(([, , name]) => name === username.toLowerCase())
}

/** The user name of "me", of an id or of a user name, because comments mention members by user name. */
const usernameOf = async (ctx: WatchContext, member: string): Promise<string> =>
  textOf(
    readRow(
      await ctx.send({
        method: 'GET',
        path: path`/1/members/${member.replace(/^@/, '')}`,
        query: { fields: 'username' },
      }),
      'a member',
    ),
    'username',
  )

const mentioned = 'Who must be mentioned: "me" for the connected account, a username or a member id.'

export default boardTrigger({
  id: 'mentioned-in-a-comment',
  title: 'Mentioned in a Comment',
  purpose: 'Starts when a comment on a watched board mentions you, or another member, with @.',
  keywords: ['mention', '@me', 'ping', 'asked'],
  icon: 'comment',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      member: boundedText('Member', mentioned, {
        min: 2,
        max: 100,
        by: 'the board',
      })
        .meta({ description: 'Who must be mentioned; “me” is the connected account.', agentDescription: mentioned })
        .default('me'),
    }),
  data: () =>
    z.object({
      ...onCard(),
      commentId: z.string().meta({ description: 'Id of the comment, needed to answer or react to it.' }),
      text: z.string().meta({ description: 'The comment as written.' }),
      mentioned: z.string().meta({ description: 'User name of who was mentioned.' }),
    }),
  fields: { boards: boardsField, lists: listsField, member: memberField },
  caveat:
    'Comments to @card and @board name nobody and start nothing. The username is read when the subscription is made or changed: save the subscription again after the member has changed it. Mentions that are added by editing a comment start nothing.',
  resolve: async (ctx, config) => ({
    ...(await resolveWatched(ctx, config)),
    member: await usernameOf(ctx, config.member),
  }),
  on: ['commentCard'],
  match(event, config, facts: BoardFacts) {
    if (!mentions(event.text ?? '', config.member)) return undefined
    return { ...cardEventData(event, facts), commentId: event.id, text: event.text ?? '', mentioned: config.member }
  },
})
