import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { JsonSchema } from '../../shared/kit/index.ts'
import { toolInput } from '../../shared/runtime/catalogue/manifest.ts'
import type { LoadedStep } from '../../shared/runtime/catalogue/registry.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'

type Content = Record<string, { schema: JsonSchema }>
type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  deprecated?: boolean
  parameters: { in: string; name: string }[]
  requestBody: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}
type Document = {
  paths: Record<string, { post: Operation }>
  tags: { name: string }[]
  components: { schemas: Record<string, object>; responses: Record<string, { description: string; content: Content }> }
}

let document: Document
let steps: LoadedStep[]
const face = await openHttpWorld()
beforeAll(async () => {
  document = (await face.ask('/openapi.json')).json
  steps = face.pack.registry.all.flatMap((loaded) => [...loaded.steps.values()])
})

const pathOf = ({ loaded, step }: LoadedStep) => `/v1/steps/${loaded.integration.id}/${step.id}/run`
const operationOf = (loadedStep: LoadedStep) => document.paths[pathOf(loadedStep)]!.post
const contentOf = (operation: Operation, status: number): Content => {
  const response = operation.responses[String(status)]!
  return (
    response.content ?? document.components.responses[response.$ref!.replace('#/components/responses/', '')]!.content
  )
}
/** Today's answers have the documented fields and no others, but for records of the provider, which are open. */
const checker = (schema: object) =>
  z.fromJSONSchema(
    JSON.parse(
      JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll('#/components/schemas/', '#/$defs/'),
    ),
  )

describe('the document', () => {
  it('has one operation per step, named as the tool, grouped by integration', () => {
    const listed = Object.entries(document.paths).filter(([path]) => /^\/v1\/steps\/[a-z]/.test(path))
    expect(listed.map(([path]) => path)).toEqual(steps.map(pathOf))
    expect(listed.map(([, { post }]) => post.operationId)).toEqual(steps.map(({ tool }) => tool))
    for (const loadedStep of steps) expect(operationOf(loadedStep).tags).toEqual([loadedStep.loaded.integration.title])
    for (const { tags } of steps.map(operationOf))
      for (const tag of tags) expect(document.tags.map(({ name }) => name)).toContain(tag)
    expect(steps.filter((loadedStep) => operationOf(loadedStep).deprecated).map(({ tool }) => tool)).toEqual([
      'work_board_add_comment',
    ])
  })

  it('shows the input of the step where the generic route shows none', () => {
    for (const loadedStep of steps) {
      const { properties, required, additionalProperties } = operationOf(loadedStep).requestBody.content[
        'application/json'
      ]!.schema as {
        properties: Record<string, JsonSchema>
        required?: string[]
        additionalProperties: boolean
      }
      const { description: _, ...input } = toolInput(loadedStep)
      expect(Object.keys(properties)).toEqual([
        'connection',
        'person',
        'input',
        'dryRun',
        'force',
        'maxCredits',
        'maxAge',
        'refresh',
        'merge',
      ])
      expect(properties.input).toEqual(JSON.parse(JSON.stringify(input)))
      expect(required ?? []).toEqual(input.required !== undefined || 'x-key-sets' in input ? ['input'] : [])
      expect(additionalProperties).toBe(false)
      expect(operationOf(loadedStep).parameters.map(({ name }) => name)).toEqual([
        'idempotency-key',
        'start-id',
        'prefer',
      ])
    }
    const { description } = operationOf(steps.find(({ tool }) => tool === 'work_board_create_card')!)
    expect(description).toContain('Give at least one of: name, idCardSource, urlSource.')
  })

  it('documents the same failures as the generic route', () => {
    const generic = document.paths['/v1/steps/{integration}/{step}/run']!.post
    for (const loadedStep of steps) {
      const operation = operationOf(loadedStep)
      expect(Object.keys(operation.responses)).toEqual(Object.keys(generic.responses))
      for (const [status, response] of Object.entries(generic.responses)) {
        if (Number(status) >= 400) expect(document.components.responses[`StepFailed${status}`]).toEqual(response)
      }
    }
  })
})

describe('responses match the operation of their step', () => {
  const check = async (tool: string, body: unknown) => {
    const loadedStep = steps.find((step) => step.tool === tool)!
    const reply = await face.ask(pathOf(loadedStep), { body })
    const [[type, { schema }]] = Object.entries(contentOf(operationOf(loadedStep), reply.status)) as [
      [string, { schema: object }],
    ]
    expect(String(reply.headers['content-type'])).toContain(type)
    expect(checker(schema).safeParse(reply.json), reply.text).toMatchObject({ success: true })
    return reply
  }

  it('done, in a dry run, and failed', async () => {
    const { list } = await firstList(face)
    expect(
      (await check('work_board_create_card', { input: { idList: list.id, name: 'Call the printer' } })).status,
    ).toBe(200)
    expect(
      (await check('work_board_create_card', { input: { idList: list.id, name: 'Call the printer' }, dryRun: true }))
        .json.complete,
    ).toBe(true)
    expect((await check('work_board_get_boards', {})).json.output.boards.length).toBeGreaterThan(0)
    expect((await check('work_board_create_card', { input: { idList: list.id } })).json.code).toBe('invalid_input')
    expect((await check('work_board_get_card', { input: { idCard: '0'.repeat(24) } })).json.code).toBe('not_found')
    expect((await check('contact_data_find_contact', { input: { email: 'kim@papermill.example' } })).json.code).toBe(
      'not_connected',
    )
    expect(
      (await check('work_board_api_call', { input: { method: 'GET', path: '/1/members/me' } })).json.output.status,
    ).toBe(200)
  })

  it('can fail', () => {
    const schema = contentOf(operationOf(steps.find(({ tool }) => tool === 'work_board_get_boards')!), 200)[
      'application/json'
    ]!.schema
    const meta = { runId: 'x', durationMs: 1, attempts: 1 }
    expect(checker(schema).safeParse({ output: { boards: [], count: 0, more: false }, meta }).success).toBe(true)
    expect(checker(schema).safeParse({ output: { boards: 'none' }, meta }).success).toBe(false)
    expect(checker(schema).safeParse({ output: { boards: [], count: 0, more: false } }).success).toBe(false)
  })
})
