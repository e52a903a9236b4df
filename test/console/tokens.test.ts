/** The contrasts that the design promises, measured from its values. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../shared/faces/console/styles/tokens.css', import.meta.url), 'utf8')
const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
)
type Scheme = 'light' | 'dark'

/** Relative luminance as WCAG 2.2 defines it. */
const luminance = (hex: string) => {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
const contrast = (colour: string, ground: string, scheme: Scheme) => {
  const [first, second] = [colour, ground].map((name) => luminance(colours.get(name)![scheme]))
  return (Math.max(first!, second!) + 0.05) / (Math.min(first!, second!) + 0.05)
}

const surfaces = ['sunken', 'page', 'surface', 'raised', 'side', 'hover']
const text: [colour: string, ground: string][] = [
  ...['text', 'muted', 'accent', 'accent-strong', 'good', 'bad', 'warn'].flatMap((colour) =>
    surfaces.map((ground): [string, string] => [colour, ground]),
  ),
  ...['text', 'muted', 'accent'].map((colour): [string, string] => [colour, 'accent-soft']),
  ...['good', 'warn', 'bad'].flatMap((meaning): [string, string][] => [
    [meaning, `${meaning}-soft`],
    ['text', `${meaning}-soft`],
    ['muted', `${meaning}-soft`],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
]
const shapes: [colour: string, ground: string][] = [
  ...['control-line', 'accent'].flatMap((colour) => surfaces.map((ground): [string, string] => [colour, ground])),
  ...[1, 2, 3, 4, 5, 6].map((series): [string, string] => [`series-${series}`, 'surface']),
]

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  it.each(text)('text of --%s on --%s has 4.5:1', (colour, ground) => {
    expect(contrast(colour, ground, scheme)).toBeGreaterThanOrEqual(4.5)
  })
  it.each(shapes)('--%s beside --%s has 3:1', (colour, ground) => {
    expect(contrast(colour, ground, scheme)).toBeGreaterThanOrEqual(3)
  })
})
