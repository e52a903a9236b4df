import { fail, failField, path, readRow } from '#kit'
import type { OptionContext, Path, ProviderRequest } from '#kit'

export type RefKind = 'card' | 'board'
type Sender = Pick<OptionContext, 'send'>

const longId = /^[0-9a-f]{24}$/i
const shortLink = /^[a-z0-9]{8}$/i
// Any host is accepted: the address is never opened, only its short link is used, and a board may be served under
// another name.
const pageAddress = /^(?:https?:\/\/)?[a-z0-9][\w.-]*(?::\d{1,5})?\/([bc])\/([a-z0-9]{8})(?:\.json)?(?:[/?#]\S*)?$/i
const maxRef = 2000

export const isLongId = (text: string): boolean => longId.test(text)

const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/**
 * Reads an id, short link or page address as what the board's paths accept for a card or board: a 24-character id or a
 * short link.
 */
export const readRef = (kind: RefKind, text: string): { ok: true; value: string } | { ok: false; reason: string } => {
  const remedy = `Give the ${kind}'s 24-character id, its 8-character short link, or its page address (https://trello.com/${kind === 'card' ? 'c' : 'b'}/…).`
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, reason: `The ${kind} is empty. ${remedy}` }
  if (trimmed.length > maxRef)
    return {
      ok: false,
      reason: `The ${kind} is ${trimmed.length} characters long, which no id or address is. ${remedy}`,
    }
  if (longId.test(trimmed)) return { ok: true, value: trimmed.toLowerCase() }
  if (shortLink.test(trimmed)) return { ok: true, value: trimmed }
  const match = pageAddress.exec(trimmed)
  if (match?.[1] === undefined || match[2] === undefined) {
    return { ok: false, reason: `"${cut(trimmed)}" is not a ${kind} id, short link or page address. ${remedy}` }
  }
  const named: RefKind = match[1].toLowerCase() === 'c' ? 'card' : 'board'
  if (named !== kind)
    return { ok: false, reason: `"${cut(trimmed)}" is the address of a ${named}, but a ${kind} is wanted. ${remedy}` }
  return { ok: true, value: match[2] }
}

const pathOf = (kind: RefKind, ref: string): Path => (kind === 'card' ? path`/1/cards/${ref}` : path`/1/boards/${ref}`)

/** The 24-character id that request bodies need. Takes one request for a short link, none for an id. */
export const resolveId = async (ctx: Sender, kind: RefKind, ref: string): Promise<string> => {
  if (longId.test(ref)) return ref
  const reply = await ctx.send({ method: 'GET', path: pathOf(kind, ref), query: { fields: 'id' } })
  return readRow(reply, `a ${kind}`).id
}

/** A field that only narrows a choice, and the value given for it. */
export type Scope = { field: string; names: 'board' | 'list' | 'card'; ref: string | undefined }
type Thing = { kind: 'card' | 'list' | 'checklist' | 'label' | 'custom field'; ref: string }

const places: Record<Thing['kind'], { fields?: string; path(ref: string): Path; board?: string }> = {
  card: { fields: 'idBoard,idList', path: (ref: string) => path`/1/cards/${ref}` },
  list: { fields: 'idBoard', path: (ref: string) => path`/1/lists/${ref}` },
  checklist: { fields: 'idBoard,idCard', path: (ref: string) => path`/1/checklists/${ref}` },
  label: { fields: 'idBoard', path: (ref: string) => path`/1/labels/${ref}` },
  'custom field': { path: (ref: string) => path`/1/customFields/${ref}`, board: 'idModel' },
}
const parentField = { board: 'idBoard', list: 'idList', card: 'idCard' }

/**
 * Refuses (`invalid_input`) a scope field that names another place than the one the thing is in: an agent that passes
 * both has confused something, and the write would land in the wrong place. Sends nothing when no scope is given.
 * Returns the thing's id if it had to be read anyway.
 */
export const checkScopes = (ctx: Sender, thing: Thing, scopes: Scope[]): Promise<string | undefined> | undefined => {
  const givenScopes = scopes.filter((scope): scope is GivenScope => scope.ref !== undefined)
  return givenScopes.length === 0 ? undefined : requireScopes(ctx, thing, givenScopes)
}

type GivenScope = Scope & { ref: string }
const requireScopes = async (ctx: Sender, thing: Thing, scopes: GivenScope[]): Promise<string | undefined> => {
  const { fields, path: at, board = parentField.board } = places[thing.kind]
  const request: ProviderRequest = { method: 'GET', path: at(thing.ref), ...(fields ? { query: { fields } } : {}) }
  const row = readRow(await ctx.send(request), `a ${thing.kind}`)
  for (const scope of scopes) {
    const expectedId = scope.names === 'list' ? scope.ref : await resolveId(ctx, scope.names, scope.ref)
    const real = row[scope.names === 'board' ? board : parentField[scope.names]]
    if (typeof real !== 'string')
      throw fail('bad_reply', `The board did not say on which ${scope.names} the ${thing.kind} is.`)
    if (real !== expectedId) {
      throw failField(
        scope.field,
        `The ${thing.kind} ${thing.ref} is on the ${scope.names} ${real}, not on ${expectedId} as ${scope.field} says. Leave ${scope.field} out, or choose a ${thing.kind} of that ${scope.names}.`,
      )
    }
  }
  return row.id
}
