/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap. It differs: what cannot work is refused with its line before
 * anything is launched, by the same function that writes the text.
 */
import { joinAfterScriptsAnnotation } from "#api/outrigger-names.ts";
import { al2UserData } from "./al2.ts";
import { al2023UserData } from "./al2023.ts";
import { bottlerocketUserData } from "./bottlerocket.ts";
import type { UserDataInput } from "./input.ts";
import { refused, type UserDataAnswer } from "./problem.ts";
import { utf8Bytes } from "./utf8-bytes.ts";
import { windowsUserData } from "./windows.ts";

/** EC2: raw user data, before base64. */
export const userDataBytesMax = 16_384;

/** What an instance of this family is told at boot, as plain text. */
export function userData(input: UserDataInput): UserDataAnswer {
  const answer = rendered(input);
  if (answer.kind !== "text") return answer;
  const bytes = utf8Bytes(answer.text);
  if (bytes <= userDataBytesMax) return answer;
  return refused(`the user data has ${bytes} bytes with what Outrigger adds; EC2 takes ${userDataBytesMax}`);
}

function rendered(input: UserDataInput): UserDataAnswer {
  if (input.joinsAfterScripts === true && input.family !== "AL2" && input.family !== "AL2023") {
    return refused(
      `the annotation ${joinAfterScriptsAnnotation} cannot be followed: only AL2023 and AL2 nodes can be held back, not ${input.family}`,
    );
  }
  switch (input.family) {
    case "AL2":
      return al2UserData(input);
    case "AL2023":
      return al2023UserData(input);
    case "Bottlerocket":
      return bottlerocketUserData(input);
    case "Windows2019":
    case "Windows2022":
    case "Windows2025":
      return windowsUserData(input);
    case "Custom":
      // The image and its own user data join the node; nothing is added.
      return input.custom === "" ? { kind: "none" } : { kind: "text", text: input.custom };
  }
}
