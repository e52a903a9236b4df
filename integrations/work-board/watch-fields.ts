import { failField, path, readRow, readRows } from '#kit'
import type { FieldSpec, OptionPage, OptionSource } from '#kit'
import { actionTypes } from './event-kinds.ts'
import { boards, cards, customFields, labels, lists, members } from './options.ts'
import { readRef } from './refs.ts'

/**
 * Dropdowns of trigger configs, made from those of the steps: a trigger watches several boards, whereas a step works on
 * one.
 */

/** The most boards to search in one request for choices while there is no hit. */
const boardsAtOnce = 5

const boardsOf = (values: Record<string, unknown>, field: string): string[] => {
  const fieldValue = values[field]
  const all = Array.isArray(fieldValue) ? fieldValue : fieldValue === undefined || fieldValue === '' ? [] : [fieldValue]
  if (all.length === 0)
    throw failField(`values/${field}`, `Choose at least one board (${field}) first: the choices depend on it.`)
  return all.map((boardRef) => {
    const read = readRef('board', typeof boardRef === 'string' ? boardRef : '')
    if (!read.ok) throw failField(`values/${field}`, read.reason)
    return read.value
  })
}

const withHint = (page: OptionPage, boardName: string): OptionPage['options'] =>
  boardName === ''
    ? page.options
    : page.options.map((option) => ({ ...option, hint: option.hint ? `${option.hint} · ${boardName}` : boardName }))

/**
 * Offers the choices of one board after the other. The cursor consists of the board's index among the chosen boards and
 * the cursor on that board.
 */
const onEachBoard =
  (source: OptionSource): OptionSource =>
  async (ctx, { values, query, cursor = '0:', container }) => {
    const chosen = boardsOf({ boards: container, ...values }, 'boards')
    const cut = cursor.indexOf(':')
    let at = Number(cursor.slice(0, cut))
    let inner = cursor.slice(cut + 1)
    for (let tried = 1; ; tried += 1) {
      const board = chosen[at]
      if (board === undefined) return { options: [] }
      const page = await source(ctx, { values: { idBoard: board }, query, ...(inner === '' ? {} : { cursor: inner }) })
      const next = page.next !== undefined ? `${at}:${page.next}` : at + 1 < chosen.length ? `${at + 1}:` : undefined
      if (page.options.length > 0 || next === undefined || tried >= boardsAtOnce) {
        const name =
          chosen.length > 1 && page.options.length > 0
            ? readRow(
                await ctx.send({ method: 'GET', path: path`/1/boards/${board}`, query: { fields: 'name' } }),
                'a board',
              ).name
            : ''
        return {
          options: withHint(page, typeof name === 'string' ? name : ''),
          ...(next === undefined ? {} : { next }),
        }
      }
      at = Number(next.slice(0, next.indexOf(':')))
      inner = next.slice(next.indexOf(':') + 1)
    }
  }

/** For example, `mentionedOnCard` becomes `Mentioned on card`. */
const titleOf = (name: string) =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A fixed list of the board's words as choices, found by title or by the word itself. */
const fixed = (names: string[], hintOf: (name: string) => string = (name) => name): OptionSource => {
  const all = names.map((name) => ({ value: name, label: titleOf(name), hint: hintOf(name) }))
  const source: OptionSource = (_, { query }) => {
    const searchText = query.trim().toLowerCase()
    return Promise.resolve({
      options: all.filter(({ value, label }) => [value, label].some((text) => text.toLowerCase().includes(searchText))),
    })
  }
  return source
}

const organizations: OptionSource = async (ctx, { query }) => {
  const rows = readRows(
    await ctx.send({ method: 'GET', path: path`/1/members/me/organizations`, query: { fields: 'displayName,name' } }),
    'workspaces',
  )
  const searchText = query.trim().toLowerCase()
  const options = rows.map((row) => ({
    value: row.id,
    label: typeof row.displayName === 'string' ? row.displayName : row.id,
  }))
  return { options: options.filter(({ label }) => label.toLowerCase().includes(searchText)) }
}

const idBoard = { boards: ['idBoard'] }
const boardTypes = Object.keys(actionTypes).filter((name) => actionTypes[name]!.onBoard)
const describeType = (name: string) => {
  const { kind, listed } = actionTypes[name]!
  return `${name} · ${kind ?? 'only by name'}${listed ? '' : ' · by webhook only'}`
}

/** The known types of notifications; the list is open. */
const notificationTypes = [
  'addAdminToBoard',
  'addAdminToOrganization',
  'addedAttachmentToCard',
  'addedMemberToCard',
  'addedToBoard',
  'addedToCard',
  'addedToOrganization',
  'cardDueSoon',
  'changeCard',
  'closeBoard',
  'commentCard',
  'createdCard',
  'declinedInvitationToBoard',
  'declinedInvitationToOrganization',
  'invitedToBoard',
  'invitedToOrganization',
  'makeAdminOfBoard',
  'makeAdminOfOrganization',
  'memberJoinedTrello',
  'mentionedOnCard',
  'reactionAdded',
  'removedFromBoard',
  'removedFromCard',
  'removedFromOrganization',
  'removedMemberFromCard',
  'unconfirmedInvitedToBoard',
  'unconfirmedInvitedToOrganization',
  'updateCheckItemStateOnCard',
]

export const boardsField: FieldSpec = { options: boards, names: 'board', accepts: 'id-or-url' }
export const listsField: FieldSpec = { options: onEachBoard(lists(idBoard)), names: 'list', dependsOn: ['boards'] }
export const cardsField: FieldSpec = {
  options: onEachBoard(cards('idBoard')),
  names: 'card',
  dependsOn: ['boards'],
  accepts: 'id-or-url',
}
export const labelsField: FieldSpec = { options: onEachBoard(labels(idBoard)), names: 'label', dependsOn: ['boards'] }
export const customFieldsField: FieldSpec = {
  options: onEachBoard(customFields(idBoard)),
  names: 'customField',
  dependsOn: ['boards'],
}
export const memberField: FieldSpec = {
  options: onEachBoard(members(idBoard)),
  names: 'member',
  dependsOn: ['boards'],
  placeholder: 'me',
}
export const organizationField: FieldSpec = { options: organizations, names: 'organization' }
export const typesField: FieldSpec = {
  options: fixed(boardTypes, describeType),
  helpUrl: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/action-types/',
}
export const notificationTypesField: FieldSpec = { options: fixed(notificationTypes) }
