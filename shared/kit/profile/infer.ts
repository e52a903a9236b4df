import * as z from 'zod'
import type { Json } from '../json.ts'

/** Excludes `undefined` as a value: profiles are JSON, in which a property is either present or absent. */
export type WithoutUndefined<T> = [Json] extends [T]
  ? T
  : T extends object
    ? { [name in keyof T]: WithoutUndefined<Exclude<T[name], undefined>> }
    : T

/** The type of the value that a schema describes. */
export type Infer<MakeSchema extends (...parameters: never[]) => z.ZodType> = WithoutUndefined<
  z.infer<ReturnType<MakeSchema>>
>

export const scalar = () => z.union([z.string(), z.number(), z.boolean()])

/** Any JSON value. It is not validated, because an override has been read from JSON. */
export const json = () => z.unknown() as z.ZodType<Json>
export const jsonValues = () => z.record(z.string(), json())

export const texts = () => z.record(z.string(), z.string())
