import type { Effect, Method } from './request.ts'

/** A parameter of an endpoint. `type` of a list is that of its items, with `list`. */
export type ApiParameter = {
  name: string
  /** `either`: the provider takes it in the query and in the body. */
  in: 'path' | 'query' | 'body' | 'either'
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'any'
  list?: true
  required?: true
  /** Allowed values, where the provider's document lists them. */
  choices?: string[]
}

/** Words that people use → what the provider calls it, for `find-endpoints`. Either may be several words. */
export type Vocabulary = { [words: string]: string[] }

/** An endpoint that the provider documents, as API Call shows, finds and checks it. `price`: credits as the provider states them, in one short phrase. */
export type ApiOperation = {
  method: Method
  /** Template: `/people/{id}`. */
  path: string
  title: string
  /** Default: by method. */
  effect?: Effect
  price?: string
  /** The body is a list, and its items hold the parameters. */
  body?: 'list'
  parameters: ApiParameter[]
}
