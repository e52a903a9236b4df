import { describe, expect, it } from 'vitest'
import { Unreadable } from '../../../shared/faces/console/form/draft.ts'
import { endpointLayout, requestOf } from '../../../shared/faces/console/pages/steps/endpoint-layout.ts'
import type { Operation } from '../../../shared/faces/console/pages/steps/endpoint-layout.ts'

const operation: Operation = {
  method: 'POST',
  path: '/v2/issues/{id}/notes',
  title: 'Add a note',
  effect: 'create',
  parameters: [
    { name: 'colour', in: 'either', type: 'string', choices: ['red', 'green'] },
    { name: 'id', in: 'path', type: 'string' },
    { name: 'id', in: 'body', type: 'string' },
    { name: 'noteText', in: 'body', type: 'string', required: true },
    { name: 'notify', in: 'query', type: 'boolean' },
    { name: 'weight', in: 'body', type: 'number' },
    { name: 'tags', in: 'body', type: 'string', list: true },
    { name: 'extra', in: 'body', type: 'object' },
  ],
}

describe('the form of an endpoint', () => {
  it('has a field for each parameter, those that the provider needs first', () => {
    expect(
      endpointLayout(operation).fields.map(({ name, title, control, place }) => [name, title, control, place]),
    ).toEqual([
      ['path.id', 'Id', 'text', 'main'],
      ['body.noteText', 'Note text', 'text', 'main'],
      ['body.colour', 'Colour', 'choice', 'more'],
      ['body.id', 'Id', 'text', 'more'],
      ['query.notify', 'Notify', 'switch', 'more'],
      ['body.weight', 'Weight', 'number', 'more'],
      ['body.tags', 'Tags', 'list', 'more'],
      ['body.extra', 'Extra', 'json', 'more'],
    ])
  })

  it('puts what fits both places into the query of a read', () => {
    const [first] = endpointLayout({ ...operation, method: 'GET', parameters: operation.parameters.slice(0, 1) }).fields
    expect(first?.name).toBe('query.colour')
  })
})

describe('the request of its values', () => {
  it('has each value where it goes, and no empty one', () => {
    expect(
      requestOf(operation, {
        'path.id': 'a/b',
        'body.id': '7',
        'body.noteText': 'Hello',
        'body.tags': [],
        'body.weight': new Unreadable('1,', 'not a number'),
        'query.notify': false,
      }),
    ).toEqual({
      method: 'POST',
      path: '/v2/issues/a%2Fb/notes',
      query: { notify: false },
      body: { id: '7', noteText: 'Hello' },
    })
  })

  it('shows what the path still needs; a body that is a list has one item', () => {
    expect(requestOf(operation, {})).toEqual({
      method: 'POST',
      path: operation.path,
      query: undefined,
      body: undefined,
    })
    expect(requestOf({ ...operation, body: 'list' }, { 'body.id': '7' })).toMatchObject({ body: [{ id: '7' }] })
  })
})
