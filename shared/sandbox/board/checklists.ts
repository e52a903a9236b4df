import { boardOf } from './access.ts'
import { addAction, boardRef, cardRef, onCard } from './history.ts'
import { newId } from './ids.ts'
import type { Pos } from './params.ts'
import { placeAt } from './positions.ts'
import type { Actor, Card, Checklist, CheckItem, World } from './records.ts'
import { checklistsOf } from './render.ts'

const ref = (checklist: Checklist): object => ({ id: checklist.id, name: checklist.name })
const cardOf = (world: World, checklist: Checklist): Card => world.state.cards.get(checklist.idCard) as Card
const where = (world: World, card: Card): Record<string, unknown> => ({
  card: cardRef(card),
  board: boardRef(boardOf(world, card)),
})

const makeChecklist = (world: World, card: Card, name: string, position: Pos): Checklist => {
  const checklist: Checklist = {
    id: newId(world),
    name,
    idBoard: card.idBoard,
    idCard: card.id,
    pos: placeAt(
      checklistsOf(world, card.id).map((sibling) => sibling.pos),
      position,
    ),
    checkItems: [],
  }
  world.state.checklists.set(checklist.id, checklist)
  return checklist
}

export const createChecklist = (
  world: World,
  actor: Actor,
  card: Card,
  name: string,
  position: Pos,
  source?: Checklist,
): Checklist => {
  const checklist = makeChecklist(world, card, name, position)
  if (source)
    checklist.checkItems = source.checkItems.map((item) => ({ ...item, id: newId(world), idChecklist: checklist.id }))
  addAction(world, actor, {
    type: 'addChecklistToCard',
    refs: onCard(card),
    data: { checklist: ref(checklist), ...where(world, card) },
  })
  if (source) tellCopy(world, actor, checklist, source, card)
  return checklist
}
const tellCopy = (world: World, actor: Actor, checklist: Checklist, source: Checklist, card: Card): void => {
  addAction(world, actor, {
    type: 'copyChecklist',
    refs: onCard(card),
    data: { checklist: ref(checklist), checklistSource: ref(source), ...where(world, card) },
  })
}
/** Copies a checklist as part of a copied card; the only action for it is copyChecklist. */
export const copyChecklist = (world: World, actor: Actor, source: Checklist, card: Card): void => {
  const checklist = makeChecklist(world, card, source.name, 'bottom')
  checklist.checkItems = source.checkItems.map((item) => ({ ...item, id: newId(world), idChecklist: checklist.id }))
  tellCopy(world, actor, checklist, source, card)
}

export const changeChecklist = (
  world: World,
  actor: Actor,
  checklist: Checklist,
  changes: { name?: string | undefined; pos?: Pos | undefined },
): void => {
  const card = cardOf(world, checklist)
  const tell = (old: object): void =>
    void addAction(world, actor, {
      type: 'updateChecklist',
      refs: onCard(card),
      data: { checklist: ref(checklist), old, ...where(world, card) },
    })
  if (changes.name !== undefined && changes.name !== checklist.name) {
    const old = checklist.name
    checklist.name = changes.name
    tell({ name: old })
  }
  if (changes.pos !== undefined) {
    const old = checklist.pos
    checklist.pos = placeAt(
      checklistsOf(world, card.id)
        .filter((sibling) => sibling.id !== checklist.id)
        .map((sibling) => sibling.pos),
      changes.pos,
    )
    if (old !== checklist.pos) tell({ pos: old })
  }
}

export const deleteChecklist = (world: World, actor: Actor, checklist: Checklist): void => {
  const card = cardOf(world, checklist)
  world.state.checklists.delete(checklist.id)
  addAction(world, actor, {
    type: 'removeChecklistFromCard',
    refs: onCard(card),
    data: { checklist: ref(checklist), ...where(world, card) },
  })
}

export type CheckItemInput = {
  name: string
  pos?: Pos | undefined
  checked?: boolean | undefined
  due?: string | null | undefined
  dueReminder?: number | undefined
  idMember?: string | null | undefined
}
const itemRef = (item: CheckItem): Record<string, unknown> => ({
  id: item.id,
  name: item.name,
  state: item.state,
  textData: { emoji: {} },
})

export const createCheckItem = (world: World, actor: Actor, checklist: Checklist, input: CheckItemInput): CheckItem => {
  const card = cardOf(world, checklist)
  const item: CheckItem = {
    id: newId(world),
    name: input.name,
    pos: placeAt(
      checklist.checkItems.map((sibling) => sibling.pos),
      input.pos ?? 'bottom',
    ),
    state: input.checked ? 'complete' : 'incomplete',
    due: input.due ?? null,
    dueReminder: input.dueReminder ?? null,
    idMember: input.idMember ?? null,
    idChecklist: checklist.id,
  }
  checklist.checkItems.push(item)
  addAction(world, actor, {
    type: 'createCheckItem',
    refs: onCard(card),
    data: { checkItem: itemRef(item), checklist: ref(checklist), ...where(world, card) },
  })
  return item
}

export type CheckItemChanges = Partial<Pick<CheckItem, 'name' | 'state' | 'due' | 'dueReminder' | 'idMember'>> & {
  pos?: Pos | undefined
  idChecklist?: string | undefined
}

export const changeCheckItem = (
  world: World,
  actor: Actor,
  checklist: Checklist,
  item: CheckItem,
  changes: CheckItemChanges,
): void => {
  const card = cardOf(world, checklist)
  const tell = (type: string, old: object): void => {
    addAction(world, actor, {
      type,
      refs: onCard(card),
      data: {
        checkItem: itemRef(item),
        checklist: ref(checklist),
        ...(type === 'updateCheckItem' ? { old } : {}),
        ...where(world, card),
      },
    })
  }
  const { pos: position, idChecklist, ...plain } = changes
  const target = item as unknown as Record<string, unknown>
  for (const [key, value] of Object.entries(plain)) {
    if (value === undefined || target[key] === value) continue
    const old = target[key]
    target[key] = value
    tell(key === 'state' ? 'updateCheckItemStateOnCard' : 'updateCheckItem', { [key]: old })
  }
  const home = idChecklist ? world.state.checklists.get(idChecklist) : undefined
  if (home && home.id !== checklist.id) {
    checklist.checkItems = checklist.checkItems.filter((checkItem) => checkItem.id !== item.id)
    home.checkItems.push(item)
    item.idChecklist = home.id
  }
  if (position !== undefined) {
    const old = item.pos
    item.pos = placeAt(
      (home ?? checklist).checkItems.filter((sibling) => sibling.id !== item.id).map((sibling) => sibling.pos),
      position,
    )
    if (old !== item.pos) tell('updateCheckItem', { pos: old })
  }
}

export const deleteCheckItem = (world: World, actor: Actor, checklist: Checklist, item: CheckItem): void => {
  const card = cardOf(world, checklist)
  checklist.checkItems = checklist.checkItems.filter((checkItem) => checkItem.id !== item.id)
  addAction(world, actor, {
    type: 'deleteCheckItem',
    refs: onCard(card),
    data: { checkItem: itemRef(item), checklist: ref(checklist), ...where(world, card) },
  })
}
