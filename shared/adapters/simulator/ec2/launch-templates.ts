import type { EnsureLaunchTemplate } from "#core/command.ts";
import { canonicalText } from "./canonical-text.ts";

/** Launch templates by name. Outrigger names them by a hash of their content, so a name never changes its content. */
export class LaunchTemplates {
  readonly #templates = new Map<string, { readonly template: EnsureLaunchTemplate; readonly text: string }>();

  /** Throws when the name is taken by other content: that is a defect of whoever made the name. */
  ensure(template: EnsureLaunchTemplate): void {
    const text = canonicalText(template);
    const existing = this.#templates.get(template.name);
    if (existing !== undefined && existing.text !== text) {
      throw new Error(`launch template ${template.name} exists with other content: ${existing.text} is not ${text}`);
    }
    this.#templates.set(template.name, { template, text });
  }

  get(name: string): EnsureLaunchTemplate | undefined {
    return this.#templates.get(name)?.template;
  }

  /** Somebody else removes it. */
  delete(name: string): void {
    this.#templates.delete(name);
  }
}
