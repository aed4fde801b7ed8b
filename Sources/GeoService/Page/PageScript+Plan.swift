extension PageScript {
  /// The part of the script for the forms of a plan, which also work without it.
  static let plan = #"""
    for (const form of $$('.options')) {
      for (const choice of $$('select', form)) {
        choice.addEventListener('change', () => form.requestSubmit());
      }
      const locate = $('.locate', form);
      if (locate) whereAmI(locate, form.elements.at);
    }

    // empty fields are omitted, which keeps addresses short
    for (const form of $$('.options, .add')) {
      form.addEventListener('submit', () => {
        const empty = [...form.elements].filter((field) => field.name && !field.value);
        for (const field of empty) field.disabled = true;
        setTimeout(() => { for (const field of empty) field.disabled = false; });
      });
    }

    """#
}
