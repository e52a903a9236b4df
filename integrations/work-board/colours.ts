import { z } from '#kit'

const plain = ['green', 'yellow', 'orange', 'red', 'purple', 'blue', 'sky', 'lime', 'pink', 'black'] as const
const colours = ['none', ...plain.flatMap((name) => [name, `${name}_light` as const, `${name}_dark` as const])] as const

/** Schema of a label colour of the board, or `none`. */
export const colour = (description: string) =>
  z.enum(colours).meta({ title: 'Colour', description: `${description} "none": no colour.` })

/** The colour in the form of the board's request body. */
export const colourBody = (colourName: string): string | null => (colourName === 'none' ? null : colourName)
