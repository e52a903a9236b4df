import { readFileSync } from 'node:fs'
import { analyse } from 'scslre'
import { describe, expect, it } from 'vitest'
import { expressionsIn } from './support/expressions.ts'
import type { Expression } from './support/expressions.ts'
import { filesIn } from './support/source.ts'

/**
 * No regular expression may take more than linear time, whatever the text: one of them once stopped the process for
 * 10 s over a body of 60 kB. What the generated packages run on other people's servers counts too.
 * The analyser finds texts that repeat one character; an expression slow only for a repeated word needs a reader's eye.
 */
const files = ['shared', 'integrations', 'scripts/packages/client'].flatMap(filesIn)
const all = files.flatMap((file) => expressionsIn(file))

/** Super-linear, with what bounds their input. None is. */
const bounded: Record<string, string> = {}

/** What a file does not say of an expression that it makes at run time, and why it repeats nothing. */
const escaped = 'every letter with a meaning is escaped'
const built: Record<string, string> = {
  'shared/faces/console/api/stream.ts name': 'a name of two in this file',
  'shared/faces/http/multipart.ts name': 'a name of two in this file',
  'shared/kit/normalise/abn.ts name': 'the name of a register',
  'shared/kit/normalise/size-band.ts digits, digits': 'a count of digits',
  "shared/recorder/stand-ins.ts longestFirst.map(escaped).join('|')": escaped,
  'shared/runtime/tables/csv.ts formulaStart': 'characters of a class, in the file beside it',
  'shared/runtime/tables/csv.ts end, end, end': 'one escaped character',
  'shared/runtime/admin/chosen-texts.ts 32, 11': 'counts of letters in this file',
  'shared/runtime/admin/sessions.ts prefix': 'one of two words in this file',
  'shared/sandbox/anz/firmable/endpoints.ts start': 'one letter',
  'shared/sandbox/board/auth.ts name': 'a name of two in this file',
  "shared/sandbox/board/consent.ts pattern.replace(/[.+?^${}()|[\\]\\\\]/g, '\\\\$&').replace(/\\*/g, '[^/:@.]*')": `${escaped}; "*" ends at the next "."`,
  "shared/wire/rate-limit/route-matcher.ts source.join('/')": `${escaped}; a placeholder ends at the next "/"`,
  'shared/wire/guard/base-url.ts source': `${escaped}; "*" is one label of at most 63 characters`,
  "shared/wire/guard/scrub.ts forms.map(escapeRegExp).join('|')": escaped,
  'shared/wire/rate-limit/provider-wait.ts head, tail': `${escaped}; the text is cut before`,
}

const nameOf = ({ file, source, flags }: Expression) => `${file} /${source}/${flags}`
/** A sticky expression is tried at one position only, so it cannot begin anew at each. */
const isSuperLinear = (expression: Expression) =>
  analyse(expression, { maxReports: 1, reportTypes: { Move: !expression.flags.includes('y') } }).reports.length > 0
const distinct = (names: string[]) => [...new Set(names)].toSorted()

describe('regular expressions', () => {
  it('take linear time, save those whose input is bounded', () => {
    expect(all.length).toBeGreaterThan(400)
    expect(distinct(all.filter(isSuperLinear).map(nameOf))).toEqual(Object.keys(bounded).toSorted())
  })

  it('that are made at run time have parts that repeat nothing', () => {
    const builtExpressions = all.filter(({ unknown }) => unknown.length > 0)
    expect(distinct(builtExpressions.map(({ file, unknown }) => `${file} ${unknown.join(', ')}`))).toEqual(
      Object.keys(built).toSorted(),
    )
  })

  it('are made in no other way', () => {
    // `text.match('a+b')` makes one of a text, as RegExp does.
    const calls = files.filter((file) => /\.(?:match|matchAll|search)\(\s*['"`]/.test(readFileSync(file, 'utf8')))
    expect(calls).toEqual([])
  })
})

describe('the check of regular expressions', () => {
  const findSuperLinearLines = (text: string) =>
    expressionsIn('a.ts', text)
      .filter(isSuperLinear)
      .map(({ line }) => line)

  it.each([
    ['an expression', 'const a = /x+y+x+$/'],
    ['one that begins anywhere', 'text.replace(/\\s+$/, "")'],
    ['a nested repetition', 'const a = /^(?:a+)+$/'],
    ['one made of a text', "const a = new RegExp('(a|b)*b+$', 'g')"],
    ['one made without new', 'const a = RegExp(`a+b`)'],
    ['one made of a raw text', 'const a = new RegExp(String.raw`\\d+x`)'],
    ['one put together', "const a = new RegExp('\\\\d' + '+x')"],
    ['one with a part that has a name', "const any = '.*'\nconst a = () => new RegExp(`^${any}${any}$`, 's')"],
    ['one made of another', 'const a = new RegExp(/a+b/, "i")'],
    ['one with an unknown part', 'const a = (name: string) => new RegExp(` +${name}`)'],
    ['one in an attribute', 'const a = { pattern: /^.*;.*;.*$/ satisfies RegExp as RegExp }'],
  ])('finds %s', (_what, text) => expect(findSuperLinearLines(text)).not.toEqual([]))

  it('takes what is linear as it is', () => {
    expect(findSuperLinearLines("const a = [/^a+b$/, /(?<!\\/)\\/+$/, /a{1,20}b/, new RegExp('^a+$')]")).toEqual([])
  })

  it('reads a name where it is a constant of the module alone', () => {
    const parameter = 'const make = ({ name }: Options) => new RegExp(name)'
    const variable = 'const make = () => { const name = any(); return RegExp(name) }'
    for (const text of [parameter, variable, `const name = 'a'\n${parameter}`, `const name = 'a'\n${variable}`])
      expect(expressionsIn('a.ts', text)).toMatchObject([{ unknown: ['name'] }])
  })
})
