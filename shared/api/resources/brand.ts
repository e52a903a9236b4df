import { once, z } from '#kit'

/** Colours that text of the accent colour is read on, in the light design. */
const lightGrounds = ['#ffffff', '#f1f1f5']
/** The surface of the dark design. */
const darkGround = '#181a1f'
const darkText = '#16173a'
/** Contrast of text that WCAG 2.2 asks for (AA). */
const readable = 4.5

type Rgb = [red: number, green: number, blue: number]

const rgbOf = (colour: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as Rgb
const hexOf = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const luminance = (colour: string) => {
  const [red, green, blue] = rgbOf(colour).map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, from 1 to 21, as WCAG 2 defines it. */
export const contrast = (one: string, other: string) => {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

const mixedWithWhite = (colour: string, share: number) =>
  hexOf(rgbOf(colour).map((part) => part + (255 - part) * share) as Rgb)

/** The colour as the dark design needs it: as little lighter as it takes to be read there. */
const lightened = (colour: string) => {
  const steps = Array.from({ length: 21 }, (_, step) => mixedWithWhite(colour, step / 20))
  return (
    steps.find((step) => contrast(step, darkGround) >= readable && contrast(step, darkText) >= readable) ?? '#ffffff'
  )
}

export type Accent = { light: string; onLight: string; dark: string; onDark: string }

/** The accent colours of both designs, from the one that the operator gives. */
export const accentOf = (colour: string): Accent => ({
  light: colour,
  onLight: '#ffffff',
  dark: lightened(colour),
  onDark: darkText,
})

/** Why a colour cannot be used; undefined: it can. */
export const colourProblem = (colour: string): string | undefined => {
  const worst = Math.min(...lightGrounds.map((ground) => contrast(colour, ground)))
  if (worst >= readable) return undefined
  return `${colour} has a contrast of ${worst.toFixed(1)}:1 with the page, and text needs ${readable}:1. Choose a darker colour`
}

/** What the pages for people are called and look like that connect an account, sign in, or let a program in. */
export const brandSettings = once(() =>
  z.strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'has characters that nobody sees')
      .optional()
      .describe('Your name'),
    logo: z
      .string()
      .min(1)
      .max(400_000)
      .optional()
      .describe(
        'A file beside this one (svg, png, webp or jpeg), or a data: address with such an image; at most 256 kB',
      ),
    colour: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'is not a colour such as #1f5fbf')
      .superRefine((colour, context) => {
        const problem = /^#[0-9a-f]{6}$/i.test(colour) ? colourProblem(colour) : undefined
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
      })
      .optional()
      .describe('The accent colour, such as #1f5fbf; the dark design uses a lighter one'),
  }),
)

export type BrandSettings = { name?: string | undefined; logo?: string | undefined; colour?: string | undefined }

/** A brand as the pages use it. */
export type Brand = {
  name?: string | undefined
  colour?: string | undefined
  logo?: { type: string; bytes: Uint8Array } | undefined
}
