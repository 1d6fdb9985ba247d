// What the gateway writes into the page: the public address of the product, whether an OpenID provider is set, and whether agents may
// sign in.

type Facts = { publicUrl: string; signInByOpenId: boolean; agentsSignIn: boolean }

/** Read once. */
export const pageFacts: Facts = {
  publicUrl: location.origin,
  signInByOpenId: false,
  agentsSignIn: false,
  ...(JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=storefront]')?.content ?? '{}') as Partial<Facts>),
}
