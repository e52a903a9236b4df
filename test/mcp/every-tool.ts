import { expect } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { callBoardTools } from './board-tools.ts'
import { call, textOf } from '../support/mcp-world.ts'
import type { Result } from '../support/mcp-world.ts'
import { someone } from '../support/people.ts'

const done = (name: string, result: Result): Record<string, any> => {
  expect([name, result.isError ?? false, result.isError ? textOf(result) : '']).toEqual([name, false, ''])
  expect(result.structuredContent).toBeTypeOf('object')
  expect(JSON.parse(result.content[0]!.text)).toBeTypeOf('object')
  return result.structuredContent!
}

/**
 * Calls every tool but `leftOut` once or more against the sandboxes, each with what the ones before gave; gives the
 * names in the order of their first call.
 */
export const callEveryTool = async (client: Client, leftOut: string[] = []): Promise<string[]> => {
  const called: string[] = []
  const use = async (name: string, args: Record<string, unknown>) => {
    if (!called.includes(name)) called.push(name)
    return done(name, await call(client, name, args))
  }
  /** The documented profile does not offer it. */
  const needSettings = async (name: string, args: Record<string, unknown>) => {
    called.push(name)
    expect((await call(client, name, args))._meta!['toolyard/failure']).toMatchObject({ code: 'wire_unset' })
  }
  const useUnlessLeftOut = async (name: string, args: Record<string, unknown>) =>
    leftOut.includes(name) ? undefined : use(name, args)
  const { boards } = await use('work_board_get_boards', { lists: 'open' })
  const board = boards[0]
  const list = await use('work_board_create_list', { idBoard: board.id, name: 'Over MCP' })
  const card = await use('work_board_create_card', { idList: list.id, name: 'Press kit', desc: 'Draft' })
  expect(await use('work_board_update_card', { idCard: card.id, name: 'Press kit 2' })).toMatchObject({
    id: card.id,
    name: 'Press kit 2',
  })
  await use('work_board_add_comment', { idCard: card.id, text: 'Old name' })
  expect(await use('work_board_add_comment_to_card', { idCard: card.id, text: 'New name' })).toMatchObject({
    data: { text: 'New name' },
  })
  const checklist = await use('work_board_add_checklist', { idCard: card.id, name: 'To do' })
  await use('work_board_create_a_checklist_item', { idChecklist: checklist.id, name: 'Photos' })
  await useUnlessLeftOut('work_board_set_custom_fields', {
    idCard: card.id,
    idBoard: board.id,
    customFields: { Points: 5 },
  })
  const file = { name: 'note.txt', base64: Buffer.from('A note').toString('base64') }
  await useUnlessLeftOut('work_board_attach_file', { idCard: card.id, file })
  expect((await use('work_board_get_card', { idCard: card.id, comments: true })).actions).toHaveLength(2)
  expect((await use('work_board_get_list_cards', { idList: list.id })).cards).toHaveLength(1)
  expect(await use('work_board_archive_card', { idCard: card.id })).toMatchObject({ closed: true })
  expect(await use('work_board_api_call', { method: 'GET', path: `/1/cards/${card.id}` })).toMatchObject({
    status: 200,
    body: { id: card.id },
  })

  expect((await use('work_board_find_endpoints', { query: 'rename a board' })).endpoints[0]).toMatchObject({
    method: 'PUT',
    path: '/1/boards/{id}',
  })

  await callBoardTools((step, args) => use(`work_board_${step}`, args), board.id)

  const { company, firstName, workEmail, title } = someone
  expect(await use('anz_data_people_enrichment', { email: workEmail })).toMatchObject({
    matched: true,
    record: { firstName },
  })
  await use('anz_data_people_search', { company: company.name })
  expect(await use('anz_data_company_enrichment', { domain: company.domain })).toMatchObject({
    matched: true,
    record: { domain: company.domain },
  })
  expect(await use('anz_data_find_endpoints', { query: 'a company' })).toMatchObject({ known: 3 })
  expect(await use('anz_data_api_call', { method: 'GET', path: '/account/usage' })).toMatchObject({ status: 200 })

  expect(await use('contact_data_find_contact', { email: workEmail })).toMatchObject({
    matched: true,
    record: { firstName },
  })
  expect(await use('contact_data_find_company', { domain: 'nobody-here.example' })).toMatchObject({ matched: false })
  await use('contact_data_search_contacts', { jobTitle: title })
  await use('contact_data_search_companies', { industry: company.industry })
  expect(
    (
      await use('contact_data_enrich_contacts', {
        contacts: [{ email: workEmail }, { reference: 'none', email: 'nobody@nobody-here.example' }],
      })
    ).summary,
  ).toMatchObject({ matched: 1, notMatched: 1 })
  expect(
    (await use('contact_data_enrich_companies', { companies: [{ domain: company.domain }] })).summary,
  ).toMatchObject({ matched: 1 })
  await needSettings('contact_data_reveal_contacts', { personIds: ['1'] })
  await needSettings('contact_data_reveal_companies', { companyIds: ['1'] })
  await needSettings('contact_data_search_and_enrich_contacts', { jobTitle: title })
  await needSettings('contact_data_search_and_enrich_companies', { industry: company.industry })
  const five = Array.from({ length: 5 }, (_, index) => `${index}`)
  await needSettings('contact_data_find_lookalike_contacts', { personIds: five })
  await needSettings('contact_data_find_lookalike_companies', { domains: five.map((n) => `company${n}.example`) })
  await needSettings('contact_data_find_buying_group', { domain: company.domain })
  const visits = { domains: [company.domain], firstDay: '2026-01-01', lastDay: '2026-01-31' }
  await needSettings('contact_data_get_website_visits', visits)
  await needSettings('contact_data_get_contact_signals', { personIds: ['1'], types: ['promotion'] })
  await needSettings('contact_data_get_company_signals', { companyIds: ['1'], types: ['riskNews'] })
  await needSettings('contact_data_score_contacts', { contacts: [{ personId: '1' }] })
  await needSettings('contact_data_score_companies', { companies: [{ domain: company.domain }] })
  await needSettings('contact_data_list_filter_values', { filter: 'industry' })
  await needSettings('contact_data_account_usage', {})
  expect(await use('contact_data_find_endpoints', { query: 'a company' })).toMatchObject({ known: 4 })
  expect(await use('contact_data_api_call', { method: 'GET', path: '/no-such-path' })).toMatchObject({ status: 404 })
  return called
}
