import * as z from 'zod'
import type { Json } from '../json.ts'

/** Without `undefined` as a value: profiles are JSON, in which a property is there or is not. */
export type WithoutUndefined<T> = [Json] extends [T]
  ? T
  : T extends object
    ? { [name in keyof T]: WithoutUndefined<Exclude<T[name], undefined>> }
    : T

/** What a schema describes, as a type. */
export type Infer<MakeSchema extends (...parameters: never[]) => z.ZodType> = WithoutUndefined<
  z.infer<ReturnType<MakeSchema>>
>

export const scalar = () => z.union([z.string(), z.number(), z.boolean()])

/** Any JSON. It is not walked through: an override was read from JSON. */
export const json = () => z.unknown() as z.ZodType<Json>
export const jsonValues = () => z.record(z.string(), json())

export const texts = () => z.record(z.string(), z.string())
