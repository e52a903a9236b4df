/** Actions of a person on cards, as in the web pages. */
import { findCard, findCheckItem, findChecklist, findLabel, findList, findMember } from './access.ts'
import {
  addComment,
  addLabel,
  changeMember,
  deleteComment,
  editComment,
  putAttachment,
  removeLabel,
} from './card-parts.ts'
import { changeCard, moveCard, repositionCard, type CardChanges } from './card-updates.ts'
import { convertCheckItem, copyCard, createCard, deleteCard, keepable, type CardInput } from './cards.ts'
import { changeCheckItem, createCheckItem, createChecklist, deleteCheckItem, deleteChecklist } from './checklists.ts'
import type { Pos } from './params.ts'
import { withoutUndefined, personOf, type By } from './person.ts'
import type { Action, Actor, Card, Checklist, CheckItem, World } from './records.ts'

const cardFor = (world: World, id: string, actor: Actor): Card => findCard(world, actor.idMember, id, 'write')
const itemOf = (world: World, id: string): { checklist: Checklist; item: CheckItem } =>
  findCheckItem([...world.state.checklists.values()], id)
const commentOf = (world: World, id: string): Action => {
  const comment = world.state.actions.find((action) => action.id === id && action.type === 'commentCard')
  if (!comment) throw new Error(`no comment has the id ${id}`)
  return comment
}

/** Creates, moves, changes and deletes cards. */
export const cardControls = (world: World) => {
  const card = (id: string, actor: Actor): Card => cardFor(world, id, actor)
  return {
    createCard: (input: By & CardInput & { idList: string; email?: boolean }): Card => {
      const { by, idList, email, ...cardInput } = input
      const actor = personOf(world, by)
      return createCard(
        world,
        actor,
        findList(world, actor.idMember, idList, 'write'),
        cardInput,
        email ? 'emailCard' : 'createCard',
      )
    },
    emailCard: (input: By & CardInput & { idList: string }): Card => {
      const { by, idList, ...cardInput } = input
      const actor = personOf(world, by)
      return createCard(world, actor, findList(world, actor.idMember, idList, 'write'), cardInput, 'emailCard')
    },
    copyCard: (input: By & { idCard: string; idList?: string; name?: string }): Card => {
      const actor = personOf(world, input.by)
      const source = card(input.idCard, actor)
      return copyCard(
        world,
        actor,
        source,
        findList(world, actor.idMember, input.idList ?? source.idList, 'write'),
        withoutUndefined({ name: input.name }) as Partial<CardInput>,
        keepable,
      )
    },
    convertCheckItem: (input: By & { idCheckItem: string }): Card => {
      const { checklist, item } = itemOf(world, input.idCheckItem)
      return convertCheckItem(world, personOf(world, input.by), checklist, item)
    },
    moveCard: (input: By & { idCard: string; idList: string; pos?: Pos }): Card => {
      const actor = personOf(world, input.by)
      const moved = card(input.idCard, actor)
      moveCard(world, actor, moved, findList(world, actor.idMember, input.idList, 'write'))
      if (input.pos !== undefined) repositionCard(world, actor, moved, input.pos)
      return moved
    },
    updateCard: (input: By & CardChanges & { idCard: string; pos?: Pos }): Card => {
      const { by, idCard, pos, ...changes } = input
      const actor = personOf(world, by)
      const changed = card(idCard, actor)
      changeCard(world, actor, changed, changes)
      if (pos !== undefined) repositionCard(world, actor, changed, pos)
      return changed
    },
    renameCard: (input: By & { idCard: string; name: string }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      changeCard(world, actor, changed, { name: input.name })
      return changed
    },
    archiveCard: (input: By & { idCard: string; closed?: boolean }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      changeCard(world, actor, changed, { closed: input.closed ?? true })
      return changed
    },
    deleteCard: (input: By & { idCard: string }): void => {
      const actor = personOf(world, input.by)
      deleteCard(world, actor, card(input.idCard, actor))
    },
  }
}

/** Changes the parts of a card. */
export const cardPartControls = (world: World) => {
  const card = (id: string, actor: Actor): Card => cardFor(world, id, actor)
  return {
    comment: (input: By & { idCard: string; text: string }): Action => {
      const actor = personOf(world, input.by)
      return addComment(world, actor, card(input.idCard, actor), input.text)
    },
    editComment: (input: By & { idAction: string; text: string }): Action =>
      editComment(world, personOf(world, input.by), commentOf(world, input.idAction), input.text),
    deleteComment: (input: By & { idAction: string }): void =>
      deleteComment(world, personOf(world, input.by), commentOf(world, input.idAction)),
    labelCard: (input: By & { idCard: string; idLabel: string; on?: boolean }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      const label = findLabel(world, actor.idMember, input.idLabel)
      if (input.on ?? true) addLabel(world, actor, changed, label)
      else removeLabel(world, actor, changed, label)
      return changed
    },
    memberOnCard: (input: By & { idCard: string; member: string; on?: boolean }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      changeMember(world, actor, changed, findMember(world, actor.idMember, input.member).id, input.on ?? true)
      return changed
    },
    attach: (input: By & { idCard: string; url: string; name?: string }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      putAttachment(world, actor, changed, {
        name: input.name ?? input.url,
        url: input.url,
        mimeType: '',
        content: null,
      })
      return changed
    },
  }
}

export const checklistControls = (world: World) => ({
  addChecklist: (input: By & { idCard: string; name: string }): Checklist => {
    const actor = personOf(world, input.by)
    return createChecklist(world, actor, cardFor(world, input.idCard, actor), input.name, 'bottom')
  },
  deleteChecklist: (input: By & { idChecklist: string }): void => {
    const actor = personOf(world, input.by)
    deleteChecklist(world, actor, findChecklist(world, actor.idMember, input.idChecklist, 'write'))
  },
  addCheckItem: (input: By & { idChecklist: string; name: string; checked?: boolean }): CheckItem => {
    const actor = personOf(world, input.by)
    return createCheckItem(world, actor, findChecklist(world, actor.idMember, input.idChecklist, 'write'), {
      name: input.name,
      checked: input.checked,
    })
  },
  tickItem: (input: By & { idCheckItem: string; complete?: boolean }): CheckItem => {
    const { checklist, item } = itemOf(world, input.idCheckItem)
    changeCheckItem(world, personOf(world, input.by), checklist, item, {
      state: (input.complete ?? true) ? 'complete' : 'incomplete',
    })
    return item
  },
  deleteCheckItem: (input: By & { idCheckItem: string }): void => {
    const { checklist, item } = itemOf(world, input.idCheckItem)
    deleteCheckItem(world, personOf(world, input.by), checklist, item)
  },
})
