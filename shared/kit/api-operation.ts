import type { CreditSignal, PricePart } from './endpoint-profile.ts'
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

/** `given`: only where the request has this parameter, other than false; a dotted name is one of the body. */
export type OperationPart = PricePart & { given?: string }

/** An endpoint that the provider documents, as API Call shows, finds, checks and pays for it. */
export type ApiOperation = {
  method: Method
  /** Template: `/people/{id}`. */
  path: string
  title: string
  /** Default: by method. */
  effect?: Effect
  /**
   * What a request costs: `free`, or its parts. Other words are only shown: the price is then that of the endpoint of the profile with this
   * path; where there is none, it is not known.
   */
  price?: string | OperationPart[]
  /** How to read the credits an answer says it charged. */
  credits?: CreditSignal
  /** How many records a request asks for: as many as these lists of its query or body hold together, or `most` without them; default 1. */
  records?: { in: string[]; most: number }
  /** Parameters with which nobody states the price; named as `given` is. */
  unpriced?: string[]
  /** The body is a list, and its items hold the parameters. */
  body?: 'list'
  parameters: ApiParameter[]
}
