export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
export type Scalar = string | number | boolean
export type Query = Record<string, Scalar | Scalar[]>
