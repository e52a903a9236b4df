import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import workBoard from '../../integrations/work-board/manifest.ts'
import { operations } from '../../integrations/work-board/operations.ts'
import { createVerdict, listOperations } from '../../shared/runtime/catalogue/operations.ts'
import type { ParameterTable } from '../../scripts/board-parameters.ts'

const described = JSON.parse(readFileSync(new URL('parameters.json', import.meta.url), 'utf8')) as ParameterTable
const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

describe('the operations of the board', () => {
  it('are those of its description, with every parameter where it goes', () => {
    const expectedKeys = Object.keys(described).map((key) => key.replace(' /', ' /1/').replace('${', '{'))
    expect(operations.map(keyOf).toSorted()).toEqual(expectedKeys.toSorted())
    for (const [key, parameters] of Object.entries(described)) {
      const operation = operations.find(
        (candidate) => keyOf(candidate) === key.replace(' /', ' /1/').replace('${', '{'),
      )!
      const names = operation.parameters.map(({ name }) => name)
      const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(new Set(names), key).toEqual(new Set([...inPath, ...Object.keys(parameters)]))
      expect(operation.parameters.flatMap((parameter) => (parameter.in === 'path' ? [parameter.name] : []))).toEqual(
        inPath,
      )
      for (const parameter of operation.parameters) {
        // The description forgets some parameters of paths.
        const {
          in: place,
          type,
          required,
        } = parameters[parameter.name] ?? { in: 'path', type: 'string', required: true }
        const isWrite = operation.method === 'POST' || operation.method === 'PUT'
        expect([key, parameter.name, parameter.in, parameter.required ?? false]).toEqual([
          key,
          parameter.name,
          place === 'query' && isWrite ? 'either' : place,
          required,
        ])
        if (type === 'boolean' || type === 'integer' || type === 'object')
          expect([key, parameter.name, parameter.type]).toEqual([key, parameter.name, type])
      }
    }
  })

  it('have types, lists and choices', () => {
    const create = operations.find((operation) => keyOf(operation) === 'POST /1/cards')!
    expect(Object.fromEntries(create.parameters.map(({ name, ...otherFields }) => [name, otherFields]))).toMatchObject({
      idList: { in: 'either', type: 'string', required: true },
      idLabels: { in: 'either', type: 'string', list: true },
      dueComplete: { type: 'boolean' },
      pos: { type: 'any', choices: ['top', 'bottom'] },
      cardRole: { choices: ['separator', 'board', 'mirror', 'link'] },
    })
    expect(
      operations.find((operation) => keyOf(operation) === 'GET /1/boards/{id}/cards/{filter}')!.parameters.at(-1),
    ).toMatchObject({
      in: 'path',
      name: 'filter',
    })
    expect(operations.find((operation) => keyOf(operation) === 'POST /1/lists/{id}/archiveAllCards')!.effect).toBe(
      'update',
    )
  })

  it('are refused by policy with a reason, or listed', () => {
    const verdict = createVerdict(workBoard.apiCall)
    const refused = operations.filter((operation) => verdict.refusal(operation) !== undefined)
    expect(refused.map(keyOf)).toEqual([
      'GET /1/batch',
      'POST /1/enterprises/{id}/tokens',
      'GET /1/members/{id}/tokens',
      'GET /1/tokens/{token}',
      'GET /1/tokens/{token}/member',
      'GET /1/tokens/{token}/webhooks',
      'POST /1/tokens/{token}/webhooks',
      'GET /1/tokens/{token}/webhooks/{idWebhook}',
      'DELETE /1/tokens/{token}/webhooks/{idWebhook}',
      'DELETE /1/tokens/{token}',
      'POST /1/webhooks',
      'PUT /1/webhooks/{id}',
      'DELETE /1/webhooks/{id}',
    ])
    for (const operation of refused)
      expect(workBoard.apiCall.deny.some(({ reason }) => verdict.refusal(operation)!.includes(reason))).toBe(true)
    const listed = listOperations(workBoard.apiCall, operations)
    expect(listed).toHaveLength(operations.length - refused.length)
    expect(
      listed.find((operation) => keyOf(operation) === 'GET /1/members/{id}')!.parameters.map(({ name }) => name),
    ).not.toContain('tokens')
  })
})
