import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, connect, openMcpWorld } from '../support/mcp-world.ts'

/**
 * Questions as users of such products ask them, written before anybody looked at what the tools are found by, and the
 * tools that answer each. Where several providers do the same, either is right.
 */
const questions: Record<string, string[]> = {
  'list my cards due this week': ['work_board_search'],
  'what is assigned to me': ['work_board_search'],
  'create a new task in the To Do column': ['work_board_create_card'],
  'move this ticket to Done': ['work_board_move_card'],
  'assign Anna to the card': ['work_board_add_member_to_card'],
  'put the urgent label on a card': ['work_board_add_label_to_card'],
  'take the urgent label off the card': ['work_board_remove_label_from_card'],
  'write a comment on a card': ['work_board_add_comment_to_card'],
  'add a checklist to a ticket': ['work_board_add_checklist'],
  'tick off a checklist item': ['work_board_complete_checklist_item'],
  'set the due date to next Friday': ['work_board_update_card'],
  'attach a PDF to the card': ['work_board_attach_file'],
  'what happened to this card yesterday': ['work_board_get_card_activity'],
  'who is on this board': ['work_board_get_members'],
  'invite a colleague to the board': ['work_board_add_member_to_board'],
  'which boards do I have': ['work_board_get_boards'],
  kanban: ['work_board_get_boards'],
  trello: ['work_board_get_boards'],
  'archive a finished card': ['work_board_archive_card'],
  'delete a task': ['work_board_delete_card'],
  'search for cards that mention invoice': ['work_board_search'],
  'what columns does this board have': ['work_board_get_lists'],
  'rename a column': ['work_board_update_list'],
  'start a new board for the launch project': ['work_board_create_board'],
  'set the priority field of a card': ['work_board_set_custom_fields'],
  'duplicate a card': ['work_board_copy_card'],
  'read the comments on a card': ['work_board_get_comments'],
  'enrich person': ['anz_data_people_enrichment', 'contact_data_enrich_contacts'],
  "find somebody's work email address": ['contact_data_find_contact', 'anz_data_people_enrichment'],
  'phone number of the CEO of a company': ['contact_data_search_contacts', 'anz_data_people_search'],
  'look up a company by its website': ['contact_data_find_company', 'anz_data_company_enrichment'],
  'check an ABN': ['anz_data_company_enrichment'],
  'construction companies in Australia with more than 200 employees': ['contact_data_search_companies'],
  'find marketing managers in Sydney': ['anz_data_people_search', 'contact_data_search_contacts'],
  'who works at Acme': ['anz_data_people_search', 'contact_data_search_contacts'],
  'enrich a list of leads': ['contact_data_enrich_contacts'],
  'how many credits do I have left': ['contact_data_account_usage'],
  'company details from a LinkedIn page': ['anz_data_company_enrichment'],
  'who is behind this email address': ['contact_data_find_contact', 'anz_data_people_enrichment'],
  'find similar companies': ['contact_data_search_companies'],
}

/**
 * Written afterwards, in other words, and not to be prepared for: how well it does with new questions. It had 7 of 10,
 * where word counts had 4.
 */
const rephrased: Record<string, string[]> = {
  'anything overdue for me?': ['work_board_search'],
  'drop a note on the ticket for the team': ['work_board_add_comment_to_card'],
  'put Marcus in charge of this task': ['work_board_add_member_to_card'],
  'push the deadline back by two days': ['work_board_update_card'],
  'cross out the second subtask': ['work_board_complete_checklist_item'],
  'get rid of this column': ['work_board_archive_list'],
  'show everything in the backlog': ['work_board_get_list_cards'],
  'what does this firm do and how big is it': ['anz_data_company_enrichment', 'contact_data_find_company'],
  "give me Jane Smith's mobile": ['contact_data_find_contact', 'anz_data_people_enrichment', 'find_person_anywhere'],
  'software firms in New Zealand with 50 to 200 staff': ['contact_data_search_companies'],
}

/** Tools that overlap: what each of them alone is for, in words that name its neighbours' trade too. */
const overlaps: Record<string, string> = {
  'rename a card': 'work_board_update_card',
  'change the description of a card': 'work_board_update_card',
  'restore an archived card': 'work_board_update_card',
  'move a card to another list': 'work_board_move_card',
  'move a card to another board': 'work_board_move_card',
  'archive this card': 'work_board_archive_card',
  'archive several cards at once': 'work_board_archive_cards',
  'move many cards to Done': 'work_board_move_cards',
  'delete a card for good': 'work_board_delete_card',
  'find cards by words': 'work_board_search',
  'find the card with exactly this name': 'work_board_find_card',
}

let client: Client
const world = await openMcpWorld()
beforeAll(async () => {
  client = await connect(world, '2026-07-28')
})
afterAll(async () => {
  await client.close()
})

const namesFor = async (query: string): Promise<string[]> => {
  const { tools } = (await call(client, 'find_tools', { query })).structuredContent as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

describe('find_tools has a tool that answers among its first three', () => {
  it.each(Object.entries(questions))('%s', async (question, answers) => {
    const first = (await namesFor(question)).slice(0, 3)
    expect(
      first.some((name) => answers.includes(name)),
      `${answers.join(' or ')} in ${first.join(', ')}`,
    ).toBe(true)
  })

  it.each(Object.entries(overlaps))('and first of all, where tools overlap: %s', async (question, answer) => {
    expect((await namesFor(question))[0]).toBe(answer)
  })

  it('of at least seven of ten in other words', async () => {
    const missed: string[] = []
    for (const [question, answers] of Object.entries(rephrased)) {
      const first = (await namesFor(question)).slice(0, 3)
      if (!first.some((name) => answers.includes(name))) missed.push(`${question}: ${first.join(', ')}`)
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(3)
  })

  it('and so does the search of steps, by the words of a step and of its integration', async () => {
    const findTools = async (query: string) => (await world.pack.steps.find({ query })).map(({ tool }) => tool)
    expect(await findTools('overdue')).toEqual(['work_board_search'])
    expect(await findTools('kanban')).toContain('work_board_get_boards')
    expect((await findTools('kanban')).every((name) => name.startsWith('work_board_'))).toBe(true)
  })

  it('misspelt and unfinished words are understood, in all three searches', async () => {
    const { pack } = world
    expect((await namesFor('creat a crad'))[0]).toBe('work_board_create_card')
    expect((await pack.steps.find({ query: 'reveal phnoe numbers' }))[0]!.tool).toBe('contact_data_reveal_contacts')
    const titles = (query: string, kind?: 'step' | 'trigger') =>
      pack.integrations.search({ query, ...(kind ? { kind } : {}) }).map(({ title }) => title)
    expect(titles('coment added', 'trigger')[0]).toMatch(/^New Comment/)
    expect(titles('dele')[0]).toMatch(/Delete/)
    // A word that is near no other finds nothing, rather than anything.
    expect(titles('xyzzyx')).toEqual([])
    expect(titles('card').length).toBeLessThanOrEqual(50)
  })

  it('forty of them', () => expect(Object.keys(questions)).toHaveLength(40))
})
