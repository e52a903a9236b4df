import { expect } from 'vitest'

type Use = (step: string, args: Record<string, unknown>) => Promise<Record<string, any>>

/** A board of its own is made, changed, copied and closed. */
const boardsAndLists = async (use: Use) => {
  const board = await use('create_board', { name: 'Tools', defaultLists: true })
  const idBoard = board.id as string
  expect(await use('update_board', { idBoard, name: 'All tools' })).toMatchObject({ name: 'All tools' })
  expect(await use('get_board', { idBoard })).toMatchObject({ id: idBoard })
  const { lists } = await use('get_lists', { idBoard })
  const [from, to] = [lists[0].id, lists[1].id] as [string, string]
  expect(await use('update_list', { idList: from, name: 'First' })).toMatchObject({ name: 'First' })
  expect(await use('get_list', { idList: from })).toMatchObject({ name: 'First', idBoard })
  expect((await use('get_board_activity', { idBoard, types: ['updateList'] })).count).toBe(1)
  expect((await use('get_workspaces', {})).workspaces[0].displayName).toBe('Harbourlight Works')
  expect(await use('move_all_cards', { fromList: from, idBoard, idList: to })).toMatchObject({ idList: to })
  expect(await use('archive_all_cards', { idList: to })).toMatchObject({ idList: to })
  expect(await use('archive_list', { idList: lists[2].id })).toMatchObject({ closed: true })
  const copy = await use('copy_board', { idBoard, name: 'Copy of all tools' })
  expect(await use('close_board', { idBoard: copy.id })).toMatchObject({ closed: true })
  expect(await use('delete_board', { idBoard: copy.id, confirmName: 'Copy of all tools' })).toMatchObject({
    deleted: true,
  })
  return { idBoard, from, to }
}

/** Somebody is made an observer and leaves; somebody else is invited. */
const otherMembers = async (use: Use, idBoard: string, idMember: string) => {
  expect(await use('set_member_role', { idBoard, idMember, type: 'observer' })).toMatchObject({ changed: true })
  expect(await use('remove_member_from_board', { idBoard, idMember })).toMatchObject({ idMember })
  expect(await use('invite_to_board', { idBoard, email: 'ada@mail.example', fullName: 'Ada Marsh' })).toMatchObject({
    type: 'normal',
  })
  expect((await use('get_members', { idBoard })).members).toContainEqual(
    expect.objectContaining({ fullName: 'Ada Marsh' }),
  )
}

const labelsAndMembers = async (use: Use, idBoard: string, idCard: string) => {
  const { id: idLabel } = await use('create_label', { idBoard, name: 'Hot', color: 'red' })
  await use('update_label', { idLabel, name: 'Urgent' })
  expect((await use('get_labels', { idBoard })).labels).toContainEqual(
    expect.objectContaining({ id: idLabel, name: 'Urgent' }),
  )
  expect(await use('get_label', { idLabel })).toMatchObject({ name: 'Urgent', idBoard })
  expect(await use('add_label_to_card', { idCard, idLabel })).toMatchObject({ changed: true })
  expect(await use('remove_label_from_card', { idCard, idLabel })).toMatchObject({ changed: true })
  const { members } = await use('search_members', { query: 'odette' })
  expect(await use('add_member_to_board', { idBoard, idMember: members[0].id })).toMatchObject({ type: 'normal' })
  const idMember = (await use('get_members', { idBoard })).members[0].id as string
  await otherMembers(use, idBoard, members[0].id)
  expect(await use('get_member', { idMember: 'me' })).toMatchObject({ username: 'marlowfenwick' })
  expect(await use('add_member_to_card', { idCard, idMember })).toMatchObject({ changed: true })
  expect(await use('remove_member_from_card', { idCard, idMember })).toMatchObject({ changed: true })
  return { idLabel, idMember }
}

const partsOfCard = async (use: Use, idCard: string) => {
  const { id: idComment } = await use('add_comment_to_card', { idCard, text: 'Draft' })
  await use('update_comment', { idCard, idComment, text: 'Final' })
  expect((await use('get_comments', { idCard })).comments[0].data.text).toBe('Final')
  await use('react_to_comment', { idCard, idComment, emoji: 'thumbsup' })
  expect((await use('get_card_activity', { idCard })).count).toBeGreaterThan(0)
  expect(await use('delete_comment', { idCard, idComment })).toMatchObject({ deleted: true })

  const { id: idChecklist } = await use('add_checklist', { idCard, name: 'Steps' })
  expect(await use('update_checklist', { idChecklist, name: 'Tasks' })).toMatchObject({ name: 'Tasks' })
  const { id: idCheckItem } = await use('create_a_checklist_item', { idChecklist, name: 'One' })
  await use('update_checklist_item', { idCard, idCheckItem, name: 'The one' })
  expect(await use('complete_checklist_item', { idCard, idCheckItem })).toMatchObject({ state: 'complete' })
  expect((await use('get_checklists', { idCard })).checklists[0].checkItems[0].name).toBe('The one')
  expect(await use('delete_checklist_item', { idCard, idCheckItem })).toMatchObject({ deleted: true })
  expect(await use('delete_checklist', { idCard, idChecklist })).toMatchObject({ deleted: true })

  const { id: idAttachment } = await use('attach_link', { idCard, url: 'https://files.example/plan', name: 'Plan' })
  expect((await use('get_attachments', { idCard })).attachments[0].name).toBe('Plan')
  expect(await use('delete_attachment', { idCard, idAttachment })).toMatchObject({ deleted: true })
}

const manyCards = async (use: Use, idLabel: string, idMember: string, idCards: string[], idList: string) => {
  const all = { total: idCards.length, changed: idCards.length }
  const cards = [{ name: 'Row one' }, { name: 'Row two' }]
  expect(await use('create_cards', { idList, cards })).toMatchObject({ total: 2, created: 2, problems: [] })
  expect(await use('label_cards', { idCards, idLabel })).toMatchObject(all)
  expect(await use('assign_cards', { idCards, idMember })).toMatchObject(all)
  // The copy is there already.
  expect(await use('move_cards', { idCards, idList })).toMatchObject({ total: 2, changed: 1, unchanged: 1 })
  expect(await use('archive_cards', { idCards })).toMatchObject(all)
}

/**
 * Calls the tools of the board that the document does not name, each once or more. `seeded`: a board of the sandbox,
 * which has an upload and custom fields.
 */
export const callBoardTools = async (use: Use, seeded: string): Promise<void> => {
  const { idBoard, from, to } = await boardsAndLists(use)
  const { id: idCard } = await use('create_card', { idList: from, name: 'Poster' })
  const { idLabel, idMember } = await labelsAndMembers(use, idBoard, idCard)
  await partsOfCard(use, idCard)
  expect(await use('move_card', { idCard, idList: to })).toMatchObject({ idList: to })
  const { id: copy } = await use('copy_card', { idCard, idList: from, name: 'Second poster' })
  expect((await use('get_board_cards', { idBoard })).cards).toHaveLength(2)
  await manyCards(use, idLabel, idMember, [idCard, copy], from)
  expect(await use('delete_card', { idCard: copy })).toMatchObject({ deleted: true })
  expect(await use('delete_label', { idLabel })).toMatchObject({ deleted: true })

  await use('search', { query: 'launch', idBoard: seeded })
  const { cards } = await use('find_card', { idBoard: seeded, name: 'Choose a launch day' })
  const { attachments } = await use('get_attachments', { idCard: cards[0].id })
  const upload = attachments.find(({ isUpload }: { isUpload: boolean }) => isUpload)
  expect(await use('download_attachment', { idCard: cards[0].id, idAttachment: upload.id })).toMatchObject({
    name: 'Booking.txt',
  })
  const { text } = await use('get_attachment_text', { idCard: cards[0].id, idAttachment: upload.id })
  expect(text).toContain('Harbour Hall')
  const voted = await use('find_card', { idBoard: seeded, name: 'Press kit' })
  const idVoted = voted.cards[0].id as string
  expect((await use('get_votes', { idCard: idVoted })).count).toBe(2)
  expect(await use('remove_vote', { idCard: idVoted })).toMatchObject({ changed: true })
  expect(await use('add_vote', { idCard: idVoted })).toMatchObject({ changed: true })
  const defined = await use('define_custom_field', {
    idBoard: seeded,
    name: 'Size',
    type: 'list',
    listOptions: ['Small'],
  })
  const resized = await use('update_custom_field', { idCustomField: defined.id, addOptions: ['Large'] })
  expect(resized.options).toMatchObject([{ value: { text: 'Small' } }, { value: { text: 'Large' } }])
  expect(await use('delete_custom_field', { idCustomField: defined.id })).toMatchObject({ deleted: true })
  expect((await use('get_custom_fields', { idBoard: seeded })).count).toBeGreaterThan(0)
  expect((await use('get_card_custom_fields', { idCard: cards[0].id })).customFields).toContainEqual(
    expect.objectContaining({ name: 'Points' }),
  )
}
