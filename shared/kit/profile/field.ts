import * as z from 'zod'
import { once } from '../once.ts'
import type { Infer } from './infer.ts'
import { json, scalar, texts } from './infer.ts'

/**
 * How one of our fields is sent. In a list of specs, the first that fits is sent: one with `mailHosts` fits e-mail
 * addresses at those hosts, one without fits everything. Where several fields have the same wire name, the first given
 * one in the order of the profile is sent.
 */
const fieldSpec = once(() =>
  z.strictObject({
    // null: the provider's documents do not show it, or it has no such parameter. No form shows the field then, and
    // giving it fails before anything is sent.
    name: z.string().nullable().describe("The provider's name for the field."),
    map: z
      .record(z.string(), scalar())
      .optional()
      .describe("Our words → the provider's values. A word that is missing here is `invalid_input`."),
    labels: texts()
      .optional()
      .describe(
        'Titles that forms show for the words of `map` or `flags`; callers may use either. Default: the words.',
      ),
    mailHosts: z
      .array(z.string())
      .optional()
      .describe('Use this alternative for e-mail addresses at these hosts (private mail).'),
    case: z
      .enum(['lower', 'upper'])
      .optional()
      .describe('The provider wants its words in this case; those of `map` are sent as they are.'),
    as: z
      .enum(['string', 'number', 'list'])
      .optional()
      .describe('Form of the value; `string` joins a list with commas.'),
    // A property that would hold an open end of a range, or a field that is not given, is left out.
    template: json()
      .optional()
      .describe(
        'What is sent in place of the value; `{value}` stands for it, and for a range ("11-50") `{min}` and `{max}` stand for its ends. `{lastPart}` is the last part of an address, `{countryName}` the English name of a country given by its code; a name of ours, such as `{firstName}`, is the value given for that field. For a list, the template is filled in for each item.',
      ),
    add: z
      .literal(true)
      .optional()
      .describe('The value, or each of several, is added to a list at `name`, to which other fields may add too.'),
    part: z
      .string()
      .optional()
      .describe(
        'Fields with the same `name` are sent together as one list of objects, one for each combination of their values; this is the property for the value, or empty where the value is an object whose properties are taken.',
      ),
    any: json()
      .optional()
      .describe('What is sent in place of several values of which one must match; `{items}` stands for their list.'),
    single: z.literal(true).optional().describe('The provider takes one value; several are `invalid_input`.'),
    // With `flags`, `name` is ignored.
    flags: texts().optional().describe('For a list of words: word → name of the provider that is set to true.'),
    default: json().optional().describe('Value where the field is not given, in our words.'),
    resolve: z
      .strictObject({
        endpoint: z.string().describe('The endpoint that is asked.'),
        field: z.string().describe('Its field that takes the value.'),
        take: z.string().describe("Dotted path of the provider's value in the record it answers."),
      })
      .optional()
      .describe("Another endpoint looks up the provider's value for ours, such as an id; its price is added."),
    choices: z
      .strictObject({
        endpoint: z.string().describe('The endpoint that answers the list.'),
        list: z.string().describe('Dotted path to the list.'),
        value: z.string().describe('Dotted path in an item to the value that is sent; empty for the item.'),
        label: z.string().describe('Dotted path in an item to its label; empty for the item.'),
        cacheMs: z.int().positive().optional().describe('How long the list is cached, in ms; default a day.'),
      })
      .optional()
      .describe('The provider lists the allowed values at a free endpoint; forms offer their labels.'),
  }),
)
export type FieldWireSpec = Infer<typeof fieldSpec>

const fieldWire = () =>
  z
    .union([z.string(), z.null(), fieldSpec(), z.array(fieldSpec())])
    .describe("The provider's name for the field, dotted to nest it (a number is a place in a list); or an object.")
export type FieldWire = Infer<typeof fieldWire>

/** Keys are our field names. */
export const fieldWires = once(() => z.record(z.string(), fieldWire()))

const aliasPaths = () => z.array(z.string())
export const recordAlias = () =>
  z
    .union([
      aliasPaths(),
      z.strictObject({
        lists: z
          .array(
            z.strictObject({
              at: z.string().describe('Dotted path to the list.'),
              item: z
                .record(z.string(), aliasPaths())
                .describe("Our field of an item → dotted paths in the provider's item."),
              set: z.record(z.string(), scalar()).optional().describe('Fixed values; those of the item override them.'),
            }),
          )
          .describe("Lists in the provider's record that together make this field."),
      }),
    ])
    .describe(
      "Our field → dotted paths in the provider's record, of which the first present counts; or an object with lists.",
    )
export type RecordAlias = Infer<typeof recordAlias>
