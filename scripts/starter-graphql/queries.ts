import { path } from '#kit'
import type { Json, ProviderRequest } from '#kit'

type Variables = { [name: string]: Json }

/** Every request is a POST to one address. */
const post = (text: string, variables: Variables) => ({
  method: 'POST' as const,
  path: path`/graphql`,
  body: { query: text, variables },
})

/** A query reads, although it is a POST: it may be repeated. */
export const query = (text: string, variables: Variables = {}): ProviderRequest => ({
  ...post(text, variables),
  effect: 'read',
  // The page of the provider's documentation that says that queries change nothing.
  effectSource: 'https://docs.starter-graphql.example/queries',
})

export const mutation = (text: string, variables: Variables): ProviderRequest => post(text, variables)

export const viewer = 'query Viewer { viewer { id name } }'
export const items =
  'query Items($first: Int!, $after: String) { items(first: $first, after: $after, newestFirst: true) { nodes { id name createdAt createdBy } pageInfo { hasNextPage endCursor } } }'
export const createItem =
  'mutation CreateItem($name: String!) { createItem(name: $name) { item { id name createdAt createdBy } } }'
