/** What the fields of an output are called, for people. */
import type { Manifest, StepManifest } from '../../api/index.ts'
import { isNamePath } from './records.ts'

/** For a field without a title: "idMembers" is "Members", "dueComplete" is "Due complete". */
const humanize = (name: string) => {
  const words = name
    .replace(/^id(?=[A-Z])|(?<=[a-z])Id(?=s?$)|_ids?$/g, '')
    .replace(/[_-]+|(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Names this short say nothing by themselves. */
const maxShortName = 4

/** The titles of the step's output and form, and for short names those that several forms agree on. */
const titlesOf = (manifest: Manifest, step: StepManifest): Map<string, string> => {
  const short = new Map<string, string[]>()
  for (const { layout } of manifest.steps)
    for (const { name, title } of layout.fields)
      if (name.length <= maxShortName) short.set(name, [...(short.get(name) ?? []), title])
  return new Map([
    ...[...short].flatMap(([name, [title, ...others]]): [string, string][] =>
      title !== undefined && others.length > 0 && others.every((other) => other === title) ? [[name, title]] : [],
    ),
    ...step.layout.fields.map(({ name, title }): [string, string] => [name, title]),
    ...outputTitles(step.output),
  ])
}

type Schema = { title?: string; properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] }

/** The titles that the schema of an output has for its fields, at any depth; the outer one of the same name. */
const outputTitles = (schema: Schema): [name: string, title: string][] => {
  const { properties = {}, items, anyOf = [] } = schema
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  return [
    ...inner.flatMap(outputTitles),
    ...Object.entries(properties).flatMap(([name, { title }]): [string, string][] =>
      title === undefined ? [] : [[name, title]],
    ),
  ]
}

export type TitleOf = (path: string) => string

/** A field inside an object that is its name is called as the object: "creator.fullName" is "Creator". */
export const titlesFor = (manifest: Manifest | undefined, step: StepManifest | undefined): TitleOf => {
  const titles = manifest && step ? titlesOf(manifest, step) : new Map<string, string>()
  return (path) => {
    const parts = path.split('.')
    const last = parts.at(-1)!
    const holder = parts.at(-2)
    if (holder !== undefined && isNamePath(last)) return titles.get(holder) ?? humanize(holder)
    return titles.get(last) ?? humanize(last)
  }
}
