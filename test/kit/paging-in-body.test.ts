import { beforeEach, describe, expect, it } from 'vitest'
import { path, readPage, valueAt } from '#kit'
import type { Json, PagingRule, ProviderRequest } from '#kit'

const all = Array.from({ length: 7 }, (_, at) => ({ id: at + 1 }))
const asked: ProviderRequest = {
  method: 'POST',
  path: path`/graphql`,
  body: { query: '{ issues }', variables: { state: 'open' } },
}

let sent: ProviderRequest[]
beforeEach(() => {
  sent = []
})

type Answer = { body: Json; headers?: Record<string, string> }
/** Reads every page from a provider that answers with `answer`; `from`, `to`: the place of the page in the list. */
const readAll = async (rule: PagingRule, items: string, answer: (from: number, to: number) => Answer) => {
  const ctx = {
    exchange: async (request: ProviderRequest) => {
      sent.push(request)
      const [after, first, page] = ['after', 'first', 'page'].map((name) => valueAt(request.body, `variables.${name}`))
      const from = page === undefined ? Number(after ?? 0) : (Number(page) - 1) * Number(first)
      return { status: 200, headers: {}, ...answer(from, from + Number(first)) }
    },
  }
  const pages: Json[][] = []
  let next: string | undefined
  do {
    const page = await readPage(ctx, asked, rule, { items, next })
    pages.push(page.items.map((item) => (item as { id: number }).id))
    next = page.next
  } while (next !== undefined && pages.length < 9)
  return pages
}

const size = { parameter: 'variables.first', max: 3 }
const after = { style: 'cursor', parameter: 'variables.after', in: 'body', size } as const

describe('parameters of pages in the body', () => {
  it('are set at dotted paths beside the other values, and the list ends where the provider says so', async () => {
    const rule: PagingRule = { ...after, at: 'info.end', more: 'info.more' }
    const pages = await readAll(rule, 'nodes', (from, to) => ({
      body: { nodes: all.slice(from, to), info: { end: String(to), more: to < all.length } },
    }))
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    expect(sent.map(({ body }) => body)).toEqual([
      { query: '{ issues }', variables: { state: 'open', first: 3 } },
      { query: '{ issues }', variables: { state: 'open', first: 3, after: '3' } },
      { query: '{ issues }', variables: { state: 'open', first: 3, after: '6' } },
    ])
    expect(sent.every(({ query }) => query === undefined)).toBe(true)
    expect(asked.body, 'the request of the handler').toEqual({ query: '{ issues }', variables: { state: 'open' } })
  })

  it('number pages', async () => {
    const rule: PagingRule = { style: 'page', parameter: 'variables.page', in: 'body', size }
    expect(await readAll(rule, '', (from, to) => ({ body: all.slice(from, to) }))).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })

  it('need a body that is an object', async () => {
    const list = { ...asked, body: ['no object'] }
    const reading = readPage({ exchange: () => Promise.reject(new Error('nothing is sent')) }, list, {
      ...after,
      at: 'a',
    })
    await expect(reading).rejects.toThrow('needs an object as its body')
  })
})

describe('a cursor', () => {
  it('is in a header', async () => {
    const pages = await readAll({ ...after, header: 'X-Next' }, '', (from, to) => ({
      body: all.slice(from, to),
      headers: to < all.length ? { 'x-next': String(to) } : {},
    }))
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })

  it('is in the last item, until the provider says that there is no more', async () => {
    const pages = await readAll({ ...after, lastItem: 'id', more: 'more' }, 'data', (from, to) => ({
      body: { data: all.slice(from, to), more: to < all.length },
    }))
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })
})
