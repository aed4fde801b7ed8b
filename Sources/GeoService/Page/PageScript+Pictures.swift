extension PageScript {
  /// The part of the script for pictures: if one does not load, the drawing stays.
  static let pictures = #"""
    // pictures

    document.addEventListener('error', (event) => {
      if (event.target.matches?.('img.picture')) event.target.remove();
    }, true);
    // pictures that failed before the script ran are loaded again, so that it notices
    for (const picture of $$('img.picture')) {
      if (picture.complete && !picture.naturalWidth) picture.src = picture.src;
    }

    """#
}
