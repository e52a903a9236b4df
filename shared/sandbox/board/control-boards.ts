/** Actions of a person on boards, lists and labels, as in the web pages. */
import { addBoardMember, removeBoardMember } from './board-members.ts'
import { findBoard, findLabel, findList, findMember } from './access.ts'
import {
  archiveAllCards,
  changeBoard,
  changeLabel,
  changeList,
  createBoard,
  createLabel,
  createList,
  deleteLabel,
  moveList,
  type BoardInput,
  type ListChanges,
} from './boards.ts'
import { addNotification, type NotificationInput } from './notifications.ts'
import type { Pos } from './params.ts'
import { withoutUndefined, personOf, type By } from './person.ts'
import type { Actor, Board, Label, List, World } from './records.ts'

export const boardControls = (world: World) => {
  const board = (id: string, actor: Actor): Board => findBoard(world, actor.idMember, id, 'write')
  const list = (id: string, actor: Actor): List => findList(world, actor.idMember, id, 'write')
  return {
    createBoard: (input: By & BoardInput): Board => {
      const { by, ...boardInput } = input
      return createBoard(world, personOf(world, by), boardInput)
    },
    /** Changes name, description and the like; `closed` closes or reopens a board. */
    updateBoard: (
      input: By & { idBoard: string; name?: string; desc?: string; closed?: boolean; permissionLevel?: string },
    ): Board => {
      const { by, idBoard, permissionLevel, ...changes } = input
      const actor = personOf(world, by)
      const changed = board(idBoard, actor)
      for (const [key, value] of Object.entries(changes)) changeBoard(world, actor, changed, key, value)
      if (permissionLevel) changeBoard(world, actor, changed, 'prefs/permissionLevel', permissionLevel)
      return changed
    },
    boardMember: (
      input: By & { idBoard: string; member: string; on?: boolean; type?: 'admin' | 'normal' | 'observer' },
    ): Board => {
      const actor = personOf(world, input.by)
      const changed = board(input.idBoard, actor)
      const { id } = findMember(world, actor.idMember, input.member)
      if (input.on ?? true) addBoardMember(world, actor, changed, id, input.type ?? 'normal')
      else removeBoardMember(world, actor, changed, id)
      return changed
    },
    createList: (input: By & { idBoard: string; name: string; pos?: Pos }): List => {
      const actor = personOf(world, input.by)
      return createList(world, actor, board(input.idBoard, actor), input.name, input.pos ?? 'bottom')
    },
    updateList: (input: By & ListChanges & { idList: string; idBoard?: string }): List => {
      const { by, idList, idBoard, ...changes } = input
      const actor = personOf(world, by)
      const changed = list(idList, actor)
      changeList(world, actor, changed, changes)
      if (idBoard) moveList(world, actor, changed, board(idBoard, actor))
      return changed
    },
    archiveAllCards: (input: By & { idList: string }): void => {
      const actor = personOf(world, input.by)
      archiveAllCards(world, actor, list(input.idList, actor))
    },
    createLabel: (input: By & { idBoard: string; name: string; color?: string | null }): Label => {
      const actor = personOf(world, input.by)
      return createLabel(world, actor, board(input.idBoard, actor), input.name, input.color ?? null)
    },
    updateLabel: (input: By & { idLabel: string; name?: string; color?: string | null }): Label => {
      const actor = personOf(world, input.by)
      const label = findLabel(world, actor.idMember, input.idLabel, 'write')
      changeLabel(world, actor, label, withoutUndefined({ name: input.name, color: input.color }))
      return label
    },
    deleteLabel: (input: By & { idLabel: string }): void => {
      const actor = personOf(world, input.by)
      deleteLabel(world, actor, findLabel(world, actor.idMember, input.idLabel, 'write'))
    },
    notify: (input: NotificationInput): { id: string } => ({ id: addNotification(world, input).id }),
  }
}
