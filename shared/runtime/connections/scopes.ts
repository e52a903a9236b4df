import { fail } from '#kit'
import type { BoardReach, ProviderRequest } from '#kit'
import type { Call, Reply } from '../../wire/types.ts'
import type { Loaded } from '../catalogue/registry.ts'

/** A card can move to another board; so long an answer about where it lies is believed. */
const keepMs = 60_000
const mostKept = 5_000

type AskedRequest = Pick<Call, 'method' | 'path' | 'query' | 'body'>
export type Ask = (request: ProviderRequest) => Promise<unknown>

const refuse = (why: string) =>
  fail('not_allowed', `This account is limited to certain boards, and ${why} Nothing was sent. Ask whoever manages it to allow this.`)

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Holds an account to the boards its policy names. What a request names is compared; what it reaches only through a card, list or the like is
 * asked of the provider first and remembered for a minute. What cannot be told is refused.
 */
export const createBoardLimit = (allowed: string[], now: () => number) => {
  const known = new Map<string, { boards: string[]; at: number }>()
  const isAllowed = (board: unknown) => typeof board === 'string' && allowed.includes(board)

  const boardsBehind = async (request: ProviderRequest, ask: Ask): Promise<string[]> => {
    const found = known.get(request.path)
    if (found && now() - found.at < keepMs) return found.boards
    const reply = await ask(request)
    const { idBoard, idModel, id, shortLink } = isObject(reply) ? reply : {}
    const boards = (idBoard === undefined && idModel === undefined ? [id, shortLink] : [idBoard, idModel]).filter(
      (part): part is string => typeof part === 'string',
    )
    if (known.size >= mostKept) known.clear()
    known.set(request.path, { boards, at: now() })
    return boards
  }

  /** The same board has an id and a short link; the provider tells one from the other. */
  const requireAllowed = async (reach: BoardReach, board: string, ask: Ask | undefined) => {
    if (isAllowed(board)) return
    const names = ask ? await boardsBehind(reach.byId(board), ask) : []
    if (!names.some(isAllowed)) throw refuse('this request reaches another board.')
  }

  return {
    /** Throws `not_allowed`. Without `ask` (a dry run) only what the request itself names is compared. */
    async check({ integration }: Loaded, request: AskedRequest, ask: Ask | undefined): Promise<void> {
      const { boards: reach } = integration
      const touches = reach?.of(request) ?? 'unknown'
      if (touches === 'none' || touches === 'lists-boards') return
      if (!reach || touches === 'unknown') throw refuse('it cannot be told which boards this request reaches.')
      for (const board of touches.boards) await requireAllowed(reach, board, ask)
      if (!ask) return
      for (const through of touches.through) {
        const [board] = await boardsBehind(through, ask)
        if (board === undefined) throw refuse('it cannot be told which board this request reaches.')
        await requireAllowed(reach, board, ask)
      }
    },

    /** A reply that lists boards, without the others. */
    narrow({ integration }: Loaded, request: AskedRequest, reply: Reply): Reply {
      if (!Array.isArray(reply.body) || integration.boards?.of(request) !== 'lists-boards') return reply
      return { ...reply, body: reply.body.filter((row) => isObject(row) && (isAllowed(row.id) || isAllowed(row.shortLink))) }
    },
  }
}
export type BoardLimit = ReturnType<typeof createBoardLimit>
