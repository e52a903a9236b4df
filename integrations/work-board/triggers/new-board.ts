import { defineTrigger, failField, path, readRows, z } from '#kit'
import type { PollItem, WatchContext } from '#kit'
import type { BoardEvent } from '../event.ts'
import { boardPlace, eventFields, person, eventData } from '../event-schemas.ts'
import { idOf } from '../inputs.ts'
import { isLongId } from '../refs.ts'
import { organizationField } from '../watch-fields.ts'

const types = ['createBoard', 'copyBoard', 'addToOrganizationBoard']
const mine = 'boards:mine'
const ofOrganization = 'boards:organization:'
/** A board added to the workspace within this time after its creation was created there. */
const madeThereMs = 60_000
/** A board first seen later than this after its creation does not count as new. */
const newForMs = 7 * 24 * 3_600_000

/** The first 8 characters of an id are its creation time in Unix seconds, in hexadecimal. */
const createdAt = (id: string) => Number.parseInt(id.slice(0, 8), 16) * 1000

/**
 * Creating a board in a workspace is reported as createBoard and as addToOrganizationBoard; both get one key, so that
 * the board counts once.
 */
const keyOf = (idBoard: string) => `board:${idBoard}`

const wasCreated = (event: BoardEvent, idBoard: string) =>
  event.type !== 'addToOrganizationBoard' || Date.parse(event.at) - createdAt(idBoard) < madeThereMs

const fetchBoards = async (ctx: WatchContext, resource: string) => {
  const query = { filter: 'all', fields: 'name,shortLink,idOrganization,idMemberCreator' }
  const at =
    resource === mine
      ? path`/1/members/me/boards`
      : path`/1/organizations/${resource.slice(ofOrganization.length)}/boards`
  const rows = readRows(await ctx.send({ method: 'GET', path: at, query }), 'boards')
  const items = rows
    .filter(({ id }) => isLongId(id))
    .map((row): PollItem => ({ ...row, at: new Date(createdAt(row.id)).toISOString() }))
  return { items, cursor: undefined }
}

const named = ({ id, name, shortLink }: PollItem) => ({
  id,
  ...(typeof name === 'string' ? { name } : {}),
  ...(typeof shortLink === 'string' ? { shortLink } : {}),
})

export default defineTrigger({
  id: 'new-board',
  title: 'New Board',
  purpose:
    'Starts when a board is created in the given workspace, or, without one, when a new board appears among those of the connected account.',
  keywords: ['project', 'board created', 'workspace'],
  icon: 'board-add',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      idOrganization: idOf(
        'workspace',
        'Workspace',
        'Id of the workspace to watch; its new boards are delivered instantly. Without it, the boards that the account is a member of are polled.',
        'The workspace to watch; its new boards are delivered instantly. Leave empty to poll the boards of the account.',
      ).optional(),
    }),
  data: () =>
    z.object({
      actionId: eventFields().actionId.optional(),
      at: eventFields().at,
      by: person()
        .optional()
        .meta({ description: 'Who did it; absent when the board does not say, and when found by polling.' }),
      board: boardPlace().meta({ description: 'The board.' }),
      idOrganization: z
        .string()
        .optional()
        .meta({ description: 'Id of its workspace; absent when it has none or the event does not name it.' }),
      way: z
        .enum(['created', 'added'])
        .meta({ description: '"created" (copies too), or "added": an older board that came into the workspace.' }),
    }),
  fields: { idOrganization: organizationField },
  recoverable: 'all',
  caveat:
    'Not instant without a workspace. When boards are polled, only those created since the trigger was attached count, not older ones that were moved into the workspace, and only boards that the account can see.',
  async resolve(ctx, config) {
    if (config.idOrganization === undefined) return config
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/members/me/organizations`, query: { fields: 'name' } }),
      'workspaces',
    )
    if (!rows.some(({ id }) => id === config.idOrganization)) {
      throw failField(
        '/idOrganization',
        `The connected account is in no workspace with the id ${config.idOrganization}. Choose one of its workspaces, or leave it out.`,
        'not_found',
      )
    }
    return config
  },
  webhook: {
    watch: ({ idOrganization }) => (idOrganization === undefined ? [] : [{ kind: 'organization', id: idOrganization }]),
    types: () => types,
    key: (event: BoardEvent) => (event.board ? keyOf(event.board.id) : event.id),
    match(event: BoardEvent, { idOrganization }) {
      const { board } = event
      if (
        !types.includes(event.type) ||
        board === undefined ||
        !event.models.some(({ kind, id }) => kind === 'organization' && id === idOrganization)
      )
        return undefined
      return {
        ...eventData(event),
        board,
        ...(idOrganization === undefined ? {} : { idOrganization }),
        way: wasCreated(event, board.id) ? ('created' as const) : ('added' as const),
      }
    },
  },
  poll: {
    resources: ({ idOrganization }) => [idOrganization === undefined ? mine : `${ofOrganization}${idOrganization}`],
    fetch: fetchBoards,
    pick(items, _, { since, scanned }) {
      const from = Math.max(since, (scanned ?? since) - newForMs)
      const newBoards = items.filter(({ at }) => Date.parse(at) >= Math.floor(from / 1000) * 1000)
      return newBoards.map((item) => ({
        key: keyOf(item.id),
        at: item.at,
        data: {
          at: item.at,
          board: named(item),
          ...(typeof item.idOrganization === 'string' ? { idOrganization: item.idOrganization } : {}),
          way: 'created' as const,
        },
        ...(typeof item.idMemberCreator === 'string' ? { actor: item.idMemberCreator } : {}),
        container: { kind: 'board', id: item.id },
        objects: [{ kind: 'board', id: item.id }],
      }))
    },
  },
})
